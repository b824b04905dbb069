import { useState } from 'react'
import { is, object, record, string } from 'superstruct'
import { type DeviceColumn, deviceColumns, NewSavedView, type SavedView } from '../../../../contract/fleet/saved-views'
import { storageKeys } from '../../../lib/storage-keys'
import type { DevicesSearch } from './devices-search'
import { toTexts } from './devices-search'

/** Columns in their order, with the widths that a person has chosen, and the height of rows. */
export type ListLayout = Pick<NewSavedView, 'columns' | 'dense'>

const standardColumns: readonly DeviceColumn[] = ['hardware_model', 'tags', 'version', 'update', 'health', 'last_seen_at']
const standard: ListLayout = { columns: standardColumns.map((name) => ({ name, width: null })), dense: false }

const { columns, dense } = NewSavedView.schema
const Stored = record(string(), object({ columns, dense }))

const readStored = (): Record<string, ListLayout> => {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKeys.deviceLayouts) ?? '{}')
    return is(stored, Stored) ? stored : {}
  } catch {
    return {}
  }
}

const isColumn = (name: string): name is DeviceColumn => deviceColumns.some((one) => one === name)

/** Columns of a newer server are left out. */
const layoutOf = (view: SavedView): ListLayout => ({
  columns: view.columns.flatMap(({ name, width }) => (isColumn(name) ? [{ name, width }] : [])),
  dense: view.dense,
})

const isSame = (one: ListLayout, other: ListLayout) => JSON.stringify(one) === JSON.stringify(other)

/** The layout of the list under a view, or without one. A person's change is kept in this browser until the view is updated. */
export const useListLayout = (view: SavedView | undefined) => {
  const [changed, setChanged] = useState(readStored)
  const key = view?.id ?? ''
  const base = view ? layoutOf(view) : standard
  const layout = changed[key] ?? base
  const setLayout = (next: ListLayout) => {
    const { [key]: _before, ...others } = changed
    const kept = isSame(next, base) ? others : { ...others, [key]: next }
    setChanged(kept)
    try {
      localStorage.setItem(storageKeys.deviceLayouts, JSON.stringify(kept))
    } catch {
      // Storage is full or blocked: the layout lasts until the page is left.
    }
  }
  return { layout, setLayout, isChanged: !isSame(layout, base), reset: () => setLayout(base) }
}

/** Filters and sort order as the text of a view, in one order for equal ones. */
export const toQueryText = (search: DevicesSearch): string => {
  const pairs = Object.entries(toTexts(search)).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  )
  return new URLSearchParams(pairs.toSorted(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1))).toString()
}

/** The parameters of the text of a view. */
export const fromQueryText = (query: string): Record<string, string | string[]> => {
  const params = new URLSearchParams(query)
  return Object.fromEntries(
    [...new Set(params.keys())].map((name) => {
      const values = params.getAll(name)
      return [name, values.length === 1 ? (values[0] ?? '') : values]
    }),
  )
}
