import { useState } from 'react'
import { failureOf } from '../api/failure'

/** A field that somebody else has changed since the form was opened: what it was, what they made of it, and what stands here. */
export type Overlap = { field: string; was: unknown; theirs: unknown; mine: unknown }
export type Conflict<T> = { current: T; overlaps: Overlap[] }

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

const fieldsOf = <T extends object, B extends object>(
  fields: readonly (keyof B & keyof T & string)[],
  base: T,
  current: T,
  body: B,
) =>
  fields
    .filter((field) => !same(base[field], current[field]) && !same(body[field], current[field]))
    .map((field) => ({ field, was: base[field], theirs: current[field], mine: body[field] }))

/** What differs from `base`, so that a field that only somebody else has changed stays as they left it. */
export const changed = <B extends object>(base: object, body: B): Partial<B> => {
  const before = new Map(Object.entries(base))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- some of its own fields
  return Object.fromEntries(Object.entries(body).filter(([field, value]) => !same(before.get(field), value))) as Partial<B>
}

type Entity = { revision: number }
type Found = { current?: Entity } | undefined

/**
 * A form that changes an object others may change too (product 4.10: 412 with a choice). `save` sends what differs from the
 * object that the form was opened with; a refusal for a stale revision becomes a `conflict`, which `keepMine` settles.
 */
export const useThreeWay = <T extends Entity, B extends object>(
  loaded: T,
  fields: readonly (keyof B & keyof T & string)[],
  send: (object: T, body: Partial<B>) => Promise<T>,
) => {
  const [base, setBase] = useState(loaded)
  const [latest, setLatest] = useState(loaded)
  const [conflict, setConflict] = useState<Conflict<T>>()
  const save = async (body: B): Promise<T> => {
    try {
      return await send(latest, changed(base, body))
    } catch (error) {
      const failure = failureOf(error)
      if (failure?.code === 'stale_revision') {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- 412 carries the object as it is now (product 4.1)
        const current = (failure.about as Found)?.current as T | undefined
        if (current) setConflict({ current, overlaps: fieldsOf(fields, base, current, body) })
      }
      throw error
    }
  }
  return {
    /** What the form was opened with; draw it with `key={base.revision}`. */
    base,
    conflict,
    save,
    /** Saving again goes over what they did, in the fields that were changed here. */
    keepMine: () => {
      if (conflict) setLatest(conflict.current)
      setConflict(undefined)
    },
    takeTheirs: () => {
      if (!conflict) return
      setBase(conflict.current)
      setLatest(conflict.current)
      setConflict(undefined)
    },
  }
}
