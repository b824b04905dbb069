import { describe, expect, it } from 'vitest'
import { changedLines } from './changed-lines'

const json = (value: unknown) => JSON.stringify(value, null, 2)

describe('changed lines', () => {
  it('are those of a new value', () => {
    expect(changedLines(json({ a: 1, b: 2 }), json({ a: 1, b: 3 }))).toEqual([3])
  })

  it('are those of a new field, without the line before it that has a comma now', () => {
    expect(changedLines(json({ a: 1 }), json({ a: 1, b: 2 }))).toEqual([3])
  })

  it('are none where a field was removed', () => {
    expect(changedLines(json({ a: 1, b: 2 }), json({ a: 1 }))).toEqual([])
  })
})
