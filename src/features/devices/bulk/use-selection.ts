import { useCallback, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import type { BulkFilter, Selection } from '../../../../contract/device-jobs'
import { type Chosen, countChosen, everything, extendTo, isChosen, nothing, shareOf, toggleRow, toggleRows } from './selection'

type Rows = readonly { id: string }[]

const rowOf = (index: number) => document.querySelector(`tr[data-index="${index}"]`)
const controls = 'input[type=checkbox], a'

/**
 * Keys on the box or the name of a row. Shift and an arrow go to the next row and select up to it; Escape there and in the bar clears
 * the selection.
 */
const useSelectionKeys = (
  count: number,
  toggle: (index: number) => void,
  extend: (from: number, to: number) => void,
  clear: () => void,
) => {
  const goTo = (index: number, active: Element) => {
    const row = rowOf(index)
    const next = row?.querySelector<HTMLElement>(active.matches('a') ? 'a' : 'input[type=checkbox]')
    next?.focus({ preventScroll: true })
    row?.querySelector('td')?.scrollIntoView({ block: 'nearest' })
    return next !== undefined && next !== null
  }
  const press = useEffectEvent((event: KeyboardEvent) => {
    const { activeElement: active } = document
    if (!active || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    const row = active.matches(controls) ? active.closest('tr[data-index]') : null
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (event.key === 'Escape') {
      if (count === 0 || (!row && !active.closest('[data-bulk]'))) return
      clear()
    } else if (!row) return
    else {
      const index = Number(row.getAttribute('data-index'))
      if (event.shiftKey && step !== 0) {
        if (goTo(index + step, active)) extend(index, index + step)
      } else if (event.key === 'x' || (event.key === ' ' && active.matches('a'))) toggle(index)
      else return
    }
    event.preventDefault()
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => press(event)
    document.addEventListener('keydown', listener)
    return () => document.removeEventListener('keydown', listener)
  }, [])
}

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
  useSelectionKeys(count, toggle, (from, to) => change((former, all) => extendTo(former, all, from, to)), clear)

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
  }
}
export type DeviceSelection = ReturnType<typeof useSelection>
