import { useState } from 'react'
import { failureOf } from '../api/failure'

/** A field that another user has changed since the form was opened: its original value, theirs, and this form's. */
export type Overlap = { field: string; was: unknown; theirs: unknown; mine: unknown }
export type Conflict<T> = { current: T; overlaps: Overlap[] }

type Fields = Readonly<Record<string, unknown>>
const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

const overlapsOf = (base: Fields, current: Fields, body: Fields): Overlap[] =>
  Object.keys(body)
    .filter((field) => !same(base[field], current[field]) && !same(body[field], current[field]))
    .map((field) => ({ field, was: base[field], theirs: current[field], mine: body[field] }))

const changed = <B extends Fields>(base: Fields, body: B): Partial<B> =>
  // a subset of its own fields
  Object.fromEntries(Object.entries(body).filter(([field, value]) => !same(base[field], value))) as Partial<B>

type Entity = { revision: number }
type Found = { current?: Entity } | undefined

/**
 * A form for an object that others may change too. `fieldsOf` is the object in the form of the body. `save` sends the
 * differences from the object that the form was opened with, so that fields changed only by others keep their values; a 412 for
 * a stale revision becomes a `conflict`.
 */
export const useEditConflict = <T extends Entity, B extends Fields>(
  loaded: T,
  fieldsOf: (object: T) => B,
  send: (object: T, body: Partial<B>) => Promise<T>,
) => {
  const [base, setBase] = useState(loaded)
  // The base of this form's changes: the object when it was opened, or last saved.
  const [seen, setSeen] = useState(loaded)
  const [latest, setLatest] = useState(loaded)
  const [conflict, setConflict] = useState<Conflict<T>>()
  const save = async (body: B): Promise<T> => {
    setConflict(undefined)
    const change = changed(fieldsOf(seen), body)
    // Without differences nothing is sent, and there is no audit entry.
    if (Object.keys(change).length === 0) return latest
    try {
      const saved = await send(latest, change)
      setSeen(saved)
      setLatest(saved)
      return saved
    } catch (error) {
      const failure = failureOf(error)
      if (failure?.code === 'stale_revision') {
        // A 412 contains the current object.
        const current = (failure.about as Found)?.current as T | undefined
        if (current) setConflict({ current, overlaps: overlapsOf(fieldsOf(seen), fieldsOf(current), body) })
      }
      throw error
    }
  }
  return {
    /** The object that the form was opened with; render the form with `key={base.revision}`. */
    base,
    conflict,
    save,
    /** Saves again and overwrites their values in the fields that were changed here. */
    keepMine: () => {
      // It stays visible until the save begins: its button submits the form.
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
