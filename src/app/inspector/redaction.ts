import { is } from 'superstruct'
import { Id, PublicId } from '../../../contract/core/shapes'

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** How the inspector shows a value: unchanged if it can only be a fact, otherwise as dots. */
export type Redact = (value: unknown) => Json

/** Shown in place of private values: a name, an e-mail, a token, typed text. */
const redactionMark = '•••'
export const redacted: Redact = (value) => (value === null || value === undefined ? null : redactionMark)

export const flag: Redact = (value) => (typeof value === 'boolean' ? value : redacted(value))
export const count: Redact = (value) => (typeof value === 'number' ? value : redacted(value))

/** One of the chart's own constants. */
export const knownWord =
  (...words: readonly string[]): Redact =>
  (value) =>
    typeof value === 'string' && words.includes(value) ? value : redacted(value)

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
/** A random id, which reveals nothing about anyone. */
export const id: Redact = (value) =>
  is(value, Id) || is(value, PublicId) || (typeof value === 'string' && uuid.test(value)) ? value : redacted(value)

/** Names of fields and error codes, written in lower case in the source. The part after a dot may have been typed. */
export const code: Redact = (value) =>
  typeof value === 'string' && /^[a-z]+(_[a-z]+){0,5}(\.|$)/.test(value) && value.length < 64
    ? value.replace(/\..*$/, '.…')
    : redacted(value)

/** Distinguishable but hidden: `tag 1`, `tag 2`. */
export const alias = (name: string): Redact => {
  const known: unknown[] = []
  return (value) => {
    if (value === null || value === undefined) return null
    if (!known.includes(value)) known.push(value)
    return `${name} ${known.indexOf(value) + 1}`
  }
}

export const listOf =
  (take: Redact): Redact =>
  (value) =>
    Array.isArray(value) ? value.map((one) => take(one)) : redacted(value)

export const fields =
  (takes: Readonly<Record<string, Redact>>): Redact =>
  (value) => {
    if (typeof value !== 'object' || value === null) return redacted(value)
    const known = Object.entries(takes).filter(([name]) => name in value)
    return Object.fromEntries(known.map(([name, take]) => [name, take(Reflect.get(value, name))]))
  }
