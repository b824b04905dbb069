import { useState } from 'react'
import { failureOf } from '../../api/failure'

/**
 * A field that another user has changed since the form was opened: its original value, theirs, and this form's. `isChanged`: this form
 * has changed it too, so that a save overwrites theirs.
 */
export type Overlap = { field: string; was: unknown; theirs: unknown; mine: unknown; isChanged: boolean }
export type Conflict<T> = { current: T; overlaps: Overlap[] }

export type Fields = Readonly<Record<string, unknown>>
const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

const overlapsOf = (base: Fields, current: Fields, body: Fields): Overlap[] =>
  Object.keys(body)
    .filter((field) => !same(base[field], current[field]) && !same(body[field], current[field]))
    .map((field) => ({
      field,
      was: base[field],
      theirs: current[field],
      mine: body[field],
      isChanged: !same(base[field], body[field]),
    }))

const changed = <B extends Fields>(base: Fields, body: B): Partial<B> =>
  // a subset of its own fields
  Object.fromEntries(Object.entries(body).filter(([field, value]) => !same(base[field], value))) as Partial<B>

type Entity = { revision: number }
type Found = { current?: Entity } | undefined

/**
 * A form for an object that others may change too. `fieldsOf` is the object in the form of the body. `save` sends the
 * differences from what the form began with, so that fields changed only by others keep their values; a 412 for a stale revision
 * becomes a `conflict`, unless no field of the form was changed. A form that stays open calls `settle` when it was saved.
 */
export const useEditConflict = <T extends Entity, B extends Fields>(
  loaded: T,
  fieldsOf: (object: T) => B,
  send: (object: T, body: Partial<B>) => Promise<T>,
) => {
  /**
   * `base`: the object that the controls began with. `seen`: the values that a change is compared with, which are those of the
   * controls when they were last saved. `latest`: the object whose revision is sent.
   */
  const begin = (object: T) => ({ base: object, seen: fieldsOf(object), latest: object })
  const [{ base, seen, latest }, setEdit] = useState(() => begin(loaded))
  const [conflict, setConflict] = useState<Conflict<T>>()
  const save = async (body: B): Promise<T> => {
    setConflict(undefined)
    const change = changed(seen, body)
    // Without differences nothing is sent, and there is no audit entry.
    if (Object.keys(change).length === 0) return latest
    const sendTo = async (object: T, isRepeated = false): Promise<T> => {
      try {
        return await send(object, change)
      } catch (error) {
        const failure = failureOf(error)
        // A 412 contains the current object.
        const current = failure?.code === 'stale_revision' ? ((failure.about as Found)?.current as T | undefined) : undefined
        if (!current) throw error
        const overlaps = overlapsOf(seen, fieldsOf(current), body)
        // Only other fields were changed, such as the files of a release: the change is the same for the current object.
        if (overlaps.length === 0 && !isRepeated) return sendTo(current, true)
        setConflict({ current, overlaps })
        throw error
      }
    }
    const saved = await sendTo(latest)
    setEdit((edit) => ({ ...edit, seen: { ...edit.seen, ...body }, latest: saved }))
    return saved
  }
  return {
    /** The object that the form was opened with; render the form with `key={base.revision}`. */
    base,
    conflict,
    save,
    /** Begins again with the saved object where it has values of others: the controls do not show them. */
    settle: () => setEdit((edit) => (same(fieldsOf(edit.latest), edit.seen) ? edit : begin(edit.latest))),
    /** Saves again and overwrites their values in the fields that were changed here. */
    keepMine: () => {
      // It stays visible until the save begins: its button submits the form.
      if (conflict) setEdit((edit) => ({ ...edit, latest: conflict.current }))
    },
    takeTheirs: () => {
      if (!conflict) return
      setEdit(begin(conflict.current))
      setConflict(undefined)
    },
  }
}

export type EditConflict<T extends Entity, B extends Fields> = ReturnType<typeof useEditConflict<T, B>>
