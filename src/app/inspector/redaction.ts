import { is } from 'superstruct'
import { Id, PublicId } from '../../../contract/shapes'

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** How the inspector shows a value: unchanged if it can only be a fact, otherwise as dots. */
export type Take = (value: unknown) => Json

/** Shown in place of private values: a name, an e-mail, a token, typed text. */
const dots = '•••'
export const withheld: Take = (value) => (value === null || value === undefined ? null : dots)

export const flag: Take = (value) => (typeof value === 'boolean' ? value : withheld(value))
export const count: Take = (value) => (typeof value === 'number' ? value : withheld(value))

/** One of the chart's own constants. */
export const word =
  (...words: readonly string[]): Take =>
  (value) =>
    typeof value === 'string' && words.includes(value) ? value : withheld(value)

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
/** A random id, which reveals nothing about anyone. */
export const id: Take = (value) =>
  is(value, Id) || is(value, PublicId) || (typeof value === 'string' && uuid.test(value)) ? value : withheld(value)

/** Names of fields and error codes, written in lower case in the source. The part after a dot may have been typed. */
export const code: Take = (value) =>
  typeof value === 'string' && /^[a-z]+(_[a-z]+){0,5}(\.|$)/.test(value) && value.length < 64
    ? value.replace(/\..*$/, '.…')
    : withheld(value)

/** Distinguishable but hidden: `tag 1`, `tag 2`. */
export const alias = (name: string): Take => {
  const known: unknown[] = []
  return (value) => {
    if (value === null || value === undefined) return null
    if (!known.includes(value)) known.push(value)
    return `${name} ${known.indexOf(value) + 1}`
  }
}

export const listOf =
  (take: Take): Take =>
  (value) =>
    Array.isArray(value) ? value.map((one) => take(one)) : withheld(value)

export const fields =
  (takes: Readonly<Record<string, Take>>): Take =>
  (value) => {
    if (typeof value !== 'object' || value === null) return withheld(value)
    const known = Object.entries(takes).filter(([name]) => name in value)
    return Object.fromEntries(known.map(([name, take]) => [name, take(Reflect.get(value, name))]))
  }
