/** A rendered row: `key` is the element's, which shows one index after another while a list scrolls. */
export type RowPlace = { readonly key: number; readonly index: number }

/**
 * Gives rendered rows to the indices of a list. While it scrolls, a row that went out of view shows an index that came into view, in
 * the place that it has in the document, so that no element is made, removed or moved; at rest the document has the order of the list.
 */
export const createRowPlaces = () => {
  let places: readonly RowPlace[] = []

  return (indices: readonly number[], count: number, isScrolling: boolean): readonly RowPlace[] => {
    const wanted = new Set(indices)
    const shown = new Set(places.map(({ index }) => index))
    const missing = indices.filter((index) => !shown.has(index))
    const reused = places.map((place) => {
      const next = wanted.has(place.index) ? undefined : missing.shift()
      return next === undefined ? place : { key: place.key, index: next }
    })
    // A step shows one row more than another, by where it ends.
    let spare = isScrolling ? 1 : 0
    const kept = reused.filter(({ index }) => wanted.has(index) || (index < count && spare-- > 0))
    const used = new Set(kept.map(({ key }) => key))
    let key = 0
    const added = missing.map((index) => {
      while (used.has(key)) key += 1
      used.add(key)
      return { key, index }
    })
    const all = [...kept, ...added]
    places = isScrolling ? all : all.toSorted((one, other) => one.index - other.index)
    return places
  }
}
