import { useCallback, useLayoutEffect, useRef, useState } from 'react'
import type { BulkFilter, Selection } from '../../../../contract/fleet/device-jobs'
import { type Chosen, countChosen, everything, extendTo, isChosen, nothing, shareOf, toggleRow, toggleRows } from './selection'
import { useSelectionKeys } from './selection-keys'

type Rows = readonly { id: string }[]

/** The selected devices of a list; another filter shows other devices, of which none is selected. */
export const useSelection = (rows: Rows, filter: BulkFilter, matching: number) => {
  const key = JSON.stringify(filter)
  const [kept, setKept] = useState({ chosen: nothing, key })
  const chosen = kept.key === key ? kept.chosen : nothing
  const shown = useRef({ rows, key })
  useLayoutEffect(() => void (shown.current = { rows, key }))
  // The same function in every render: rows are drawn again only if they have changed.
  const change = useCallback(
    (next: (chosen: Chosen, rows: Rows) => Chosen) =>
      setKept((former) => {
        const { current } = shown
        return { chosen: next(former.key === current.key ? former.chosen : nothing, current.rows), key: current.key }
      }),
    [],
  )
  const toggle = useCallback(
    (index: number, range = false) => change((former, all) => toggleRow(former, all, index, range)),
    [change],
  )
  const clear = () => change(() => nothing)
  const count = countChosen(chosen, matching)
  const focusList = useSelectionKeys({
    rows: rows.length,
    selected: count,
    toggle,
    extend: (from, to) => change((former, all) => extendTo(former, all, from, to)),
    clear,
  })

  const { all, ids } = chosen
  const selection: Selection = all ? { filter, ...(ids.size > 0 && { excluded_ids: [...ids] }) } : { ids: [...ids] }
  return {
    count,
    /** For the server. */
    selection,
    /** How many can be selected together; undefined if they are. */
    matching: all && ids.size === 0 ? undefined : matching,
    share: shareOf(chosen, rows),
    isSelected: (id: string) => isChosen(chosen, id),
    toggle,
    togglePage: () => change(toggleRows),
    selectAll: () => change(() => everything),
    clear,
    /** For a control in the bar, which goes with the selection: the focus would be lost with it. */
    clearFromBar: () => {
      focusList()
      clear()
    },
  }
}
export type DeviceSelection = ReturnType<typeof useSelection>
