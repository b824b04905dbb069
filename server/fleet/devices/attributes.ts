import canonicalize from 'canonicalize'
import type { Attributes } from '../../../contract/device/api'
import { sha256, utf8 } from '../../../contract/device/bytes'
import { sanitizeText } from '../../core/plain-text'

/** Both sides hash the canonical form, so a check-in shows with 64 characters whether the attributes have changed. */
export const hashOfAttributes = (attributes: Attributes): Promise<string> => sha256(utf8(canonicalize(attributes) ?? ''))

/** A device has at most so many. */
export const maxAttributes = 100
const most = { key: 63, value: 512 } as const

const toKey = (name: string): string | null => {
  const key = name.toLowerCase().replace(/[^a-z0-9_.]/g, '_')
  return /^[a-z]/.test(key) ? key.slice(0, most.key) : key === '' ? null : `x${key}`.slice(0, most.key)
}

const toValue = (value: unknown): string =>
  sanitizeText(typeof value === 'string' ? value : value == null ? '' : JSON.stringify(value), most.value)

/** Attributes as ours may be: clients send any name and any value. Surplus ones are dropped. */
export const toAttributes = (data: Readonly<Record<string, unknown>>): Attributes =>
  Object.fromEntries(
    Object.entries(data).flatMap(([name, value]) => {
      const key = toKey(name)
      return key === null ? [] : [[key, toValue(value)]]
    }),
  )
