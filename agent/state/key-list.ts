import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { is } from 'superstruct'
import { maxKeyListCounter } from '../../contract/device/api'
import type { DeviceConfig } from '../../contract/device/config'
import { KeyListPayload } from '../../contract/device/key-list'
import type { TrustedKey } from '../../contract/device/manifest'
import type { PublicKey } from '../../contract/device/public-key'
import { writeAtomically } from '../core/files'

/** The keys that a device trusts: those of its configuration until it has taken a key list, and then those of the list alone. */
export type Trust = {
  /** The counter of the list, 0 before the first of the project. */
  counter: () => number
  /** The counter of the list by its project; nothing before the first list. */
  counters: () => Record<string, number>
  /** The trusted keys, and the revoked ones of the list, by which a refusal can name the reason. */
  keys: () => readonly TrustedKey[]
  /** The fingerprints of the trusted keys, as the device reports them. */
  fingerprints: () => string[]
  /** Stores a list that was verified. */
  take: (list: KeyListPayload) => void
}

/** Of a device that may be moved: its project now, and the counters of the lists that it has held in others. */
type Membership = () => { projectId: string | null; counters: Readonly<Record<string, number>> }

/** `write` stores a list durably before it counts. */
export const createTrust = (
  configured: readonly PublicKey[],
  stored: KeyListPayload | null,
  write: (list: KeyListPayload) => void,
  membership: Membership = () => ({ projectId: null, counters: {} }),
): Trust => {
  let list = stored
  return {
    counter: () => {
      const { projectId, counters } = membership()
      const held = list !== null && (projectId === null || list.project_id === projectId) ? list.counter : 0
      // A list that an older agent has taken may be above what the server can store: the device would be refused for good.
      return Math.min(Math.max(held, counters[projectId ?? ''] ?? 0), maxKeyListCounter)
    },
    counters: () => (list ? { [list.project_id]: list.counter } : {}),
    keys: () => (list ? [...list.keys, ...list.revoked.map((key) => ({ ...key, revoked: true }))] : configured),
    fingerprints: () => (list?.keys ?? configured).map(({ fingerprint }) => fingerprint),
    take: (next) => {
      write(next)
      list = next
    },
  }
}

const fileOf = (config: DeviceConfig) => join(config.persistent_directory, 'key-list.json')

/** Fails closed: with a list that cannot be read, a dropped key of the configuration could count again. */
const read = (path: string): KeyListPayload | null => {
  if (!existsSync(path)) return null
  const refusal = `${path} cannot be read; delete it to trust the public_keys of device.json again`
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new Error(refusal, { cause: error })
  }
  if (!is(value, KeyListPayload)) throw new Error(refusal)
  return value
}

/** The trust of an agent: `key-list.json`, replaced by one rename, so that a kill at any moment leaves the old list or the new. */
export const openTrust = (config: DeviceConfig, membership: Membership): Trust => {
  const path = fileOf(config)
  const write = (list: KeyListPayload) => writeAtomically(path, `${JSON.stringify(list, null, 2)}\n`)
  return createTrust(config.public_keys, read(path), write, membership)
}
