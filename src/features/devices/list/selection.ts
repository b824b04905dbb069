import { bulkLimits, type Selection } from '../../../../contract/fleet/device-jobs'
import { formatCount } from '../../../lib/amounts'

/** Some rows, or all that match the filter without some. `anchor`: the row from which a range begins. */
export type Chosen = { all: boolean; ids: ReadonlySet<string>; anchor: number }
type Rows = readonly { id: string }[]

export const nothing: Chosen = { all: false, ids: new Set(), anchor: 0 }
export const everything: Chosen = { all: true, ids: new Set(), anchor: 0 }

export const isChosen = ({ all, ids }: Chosen, id: string): boolean => ids.has(id) !== all

/** `matching`: how many match the filter. */
export const countChosen = ({ all, ids }: Chosen, matching: number): number => (all ? Math.max(0, matching - ids.size) : ids.size)

const setRows = ({ all, ids }: Chosen, rows: Rows, selected: boolean): Set<string> => {
  const next = new Set(ids)
  for (const { id } of rows) {
    if (selected !== all) next.add(id)
    else next.delete(id)
  }
  return next
}

const between = (rows: Rows, from: number, to: number) => rows.slice(Math.min(from, to), Math.max(from, to) + 1)

/** A row, or with `range` all rows from the last one that was chosen alone, as this row becomes. */
export const toggleRow = (chosen: Chosen, rows: Rows, index: number, range: boolean): Chosen => {
  const row = rows[index]
  if (!row) return chosen
  const anchor = range ? chosen.anchor : index
  return { ...chosen, ids: setRows(chosen, between(rows, anchor, index), !isChosen(chosen, row.id)), anchor }
}

/**
 * All rows from where the range began, or from the row that is left if nothing is chosen, to another one. Rows between the beginning
 * and the row that is left are no longer chosen if the range no longer reaches them.
 */
export const extendTo = (chosen: Chosen, rows: Rows, from: number, to: number): Chosen => {
  const anchor = !chosen.all && chosen.ids.size === 0 ? from : chosen.anchor
  const without = { ...chosen, ids: setRows(chosen, between(rows, anchor, from), false), anchor }
  return { ...without, ids: setRows(without, between(rows, anchor, to), true) }
}

/** Of the rows that are loaded. */
export const shareOf = (chosen: Chosen, rows: Rows): 'none' | 'some' | 'all' => {
  if (!chosen.all && chosen.ids.size === 0) return 'none'
  const count = rows.filter(({ id }) => isChosen(chosen, id)).length
  return count === 0 ? 'none' : count === rows.length ? 'all' : 'some'
}

/** All loaded rows; nothing if they are chosen already. */
export const toggleRows = (chosen: Chosen, rows: Rows): Chosen =>
  shareOf(chosen, rows) === 'all' ? nothing : { ...chosen, ids: setRows(chosen, rows, true) }

/** Why devices that were selected one by one cannot be changed together; undefined if they can. */
export const describeTooMany = (selection: Selection): string | undefined => {
  const ids = 'ids' in selection ? selection.ids : (selection.excluded_ids ?? [])
  const most = formatCount(bulkLimits.ids)
  if (ids.length <= bulkLimits.ids) return undefined
  return 'ids' in selection
    ? `More than ${most} devices were selected one by one. Use “Select all matching” instead.`
    : `More than ${most} devices were taken out. Use a filter instead.`
}
