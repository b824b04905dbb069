import { describe, expect, it } from 'vitest'
import { createRowPlaces } from './row-places'

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, n) => first + n)
const indices = (places: readonly { index: number }[]) => places.map(({ index }) => index)
const keys = (places: readonly { key: number }[]) => places.map(({ key }) => key)

describe('the rows of a virtual list', () => {
  it('show new indices in the rows that went out of view, without a change of their order', () => {
    const place = createRowPlaces()
    const first = place(range(0, 5), 100, false)
    const second = place(range(2, 7), 100, true)
    expect(keys(second)).toEqual(keys(first))
    expect(indices(second)).toEqual([6, 7, 2, 3, 4, 5])
  })

  it('have the order of the list at rest, each with the index that it had', () => {
    const place = createRowPlaces()
    place(range(0, 5), 100, false)
    const scrolled = new Map(place(range(2, 7), 100, true).map(({ key, index }) => [index, key]))
    const rested = place(range(2, 7), 100, false)
    expect(indices(rested)).toEqual(range(2, 7))
    for (const { key, index } of rested) expect(scrolled.get(index)).toBe(key)
  })

  it('are kept while the list scrolls, and only those in view at rest', () => {
    const place = createRowPlaces()
    place(range(0, 6), 100, false)
    expect(indices(place(range(1, 6), 100, true))).toEqual(range(0, 6))
    expect(indices(place(range(1, 6), 100, false))).toEqual(range(1, 6))
  })

  it('of a list that became shorter are removed', () => {
    const place = createRowPlaces()
    place(range(0, 6), 100, false)
    expect(indices(place(range(0, 2), 3, true))).toEqual(range(0, 2))
  })

  it('keep a row far from the others while its index is asked for', () => {
    const place = createRowPlaces()
    const focused = place(range(0, 5), 1000, false)[3]
    const far = place([3, ...range(500, 505)], 1000, true)
    expect(far.find(({ index }) => index === 3)).toEqual(focused)
    expect(indices(place([3, ...range(500, 505)], 1000, false))).toEqual([3, ...range(500, 505)])
  })

  it('have different keys after any steps, the same ones when nothing changes', () => {
    const place = createRowPlaces()
    for (let step = 0; step < 200; step++) {
      const first = (step * 37) % 90
      const wanted = range(first, first + (step % 9))
      const isScrolling = step % 3 > 0
      const places = place(wanted, 100, isScrolling)
      expect(new Set(keys(places)).size).toBe(places.length)
      expect(indices(places)).toEqual(expect.arrayContaining(wanted))
      expect(place(wanted, 100, isScrolling)).toEqual(places)
    }
  })
})
