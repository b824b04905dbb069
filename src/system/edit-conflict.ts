import { useState } from 'react'
import { failureOf } from '../api/failure'

/** A field that somebody else has changed since the form was opened: what it was, what they made of it, and what stands here. */
export type Overlap = { field: string; was: unknown; theirs: unknown; mine: unknown }
export type Conflict<T> = { current: T; overlaps: Overlap[] }

type Fields = Readonly<Record<string, unknown>>
const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

const overlapsOf = (base: Fields, current: Fields, body: Fields): Overlap[] =>
  Object.keys(body)
    .filter((field) => !same(base[field], current[field]) && !same(body[field], current[field]))
    .map((field) => ({ field, was: base[field], theirs: current[field], mine: body[field] }))

const changed = <B extends Fields>(base: Fields, body: B): Partial<B> =>
  // Some of its own fields.
  Object.fromEntries(Object.entries(body).filter(([field, value]) => !same(base[field], value))) as Partial<B>

type Entity = { revision: number }
type Found = { current?: Entity } | undefined

/**
 * A form that changes an object others may change too (product 4.10: 412 with a choice). `fieldsOf` is the object as the form's
 * body would say it. `save` sends what differs from the object that the form was opened with, so that a field only somebody else
 * has changed stays as they left it; a refusal for a stale revision becomes a `conflict`.
 */
export const useEditConflict = <T extends Entity, B extends Fields>(
  loaded: T,
  fieldsOf: (object: T) => B,
  send: (object: T, body: Partial<B>) => Promise<T>,
) => {
  const [base, setBase] = useState(loaded)
  // What this form's changes are told against: what it was opened with, or has saved since.
  const [seen, setSeen] = useState(loaded)
  const [latest, setLatest] = useState(loaded)
  const [conflict, setConflict] = useState<Conflict<T>>()
  const save = async (body: B): Promise<T> => {
    setConflict(undefined)
    const change = changed(fieldsOf(seen), body)
    // Nothing is asked of the server, and nothing stands in the audit log, where nothing differs.
    if (Object.keys(change).length === 0) return latest
    try {
      const saved = await send(latest, change)
      setSeen(saved)
      setLatest(saved)
      return saved
    } catch (error) {
      const failure = failureOf(error)
      if (failure?.code === 'stale_revision') {
        // 412 carries the object as it is now (product 4.1).
        const current = (failure.about as Found)?.current as T | undefined
        if (current) setConflict({ current, overlaps: overlapsOf(fieldsOf(seen), fieldsOf(current), body) })
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
      // It stays in sight until the save begins: the button that was pressed stands in it, and submits.
      if (conflict) setLatest(conflict.current)
    },
    takeTheirs: () => {
      if (!conflict) return
      setBase(conflict.current)
      setSeen(conflict.current)
      setLatest(conflict.current)
      setConflict(undefined)
    },
  }
}

export type EditConflict<T extends Entity, B extends Fields> = ReturnType<typeof useEditConflict<T, B>>
