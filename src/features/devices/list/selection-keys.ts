import { useEffect, useEffectEvent, useRef } from 'react'
import { findFirstInSight, findFocusedRow, focusRow } from './row-focus'

/** Leads from a row to the bar of the selection. No browser uses it, and no screen reader while it reads a page. */
export const barKey = '.'

const findBar = () => document.querySelector<HTMLElement>('[data-bulk] button')

type Selecting = {
  rows: number
  selected: number
  toggle: (index: number) => void
  extend: (from: number, to: number) => void
  clear: () => void
}

/**
 * Keys on the box or the name of a row. Shift and an arrow go to the next row and select up to it; the key of the bar leads to the bar,
 * and Escape from there back to the row. Escape on a row clears the selection. Returns what leads back to the row.
 */
export const useSelectionKeys = ({ rows, selected, toggle, extend, clear }: Selecting) => {
  /** The row that the bar was reached from. */
  const left = useRef<ReturnType<typeof findFocusedRow>>(undefined)
  const focusList = () => {
    const back = left.current?.index ?? findFirstInSight()
    if (back !== undefined) focusRow(Math.min(back, rows - 1), left.current?.control ?? 'a')
    left.current = undefined
  }
  const press = useEffectEvent((event: KeyboardEvent) => {
    const { activeElement: active } = document
    if (!active || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    const focused = findFocusedRow()
    if (active.closest('[data-bulk]')) {
      if (event.key !== 'Escape') return
      focusList()
    } else if (!focused) return
    else if (event.key === 'Escape' && selected > 0) clear()
    else if (event.key === barKey && selected > 0) {
      left.current = focused
      findBar()?.focus()
    } else if (event.shiftKey && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      const next = focused.index + (event.key === 'ArrowDown' ? 1 : -1)
      if (next >= 0 && next < rows) {
        focusRow(next, focused.control)
        extend(focused.index, next)
      }
    } else if (event.key === 'x' || (event.key === ' ' && focused.control === 'a')) toggle(focused.index)
    else return
    event.preventDefault()
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => press(event)
    document.addEventListener('keydown', listener)
    return () => document.removeEventListener('keydown', listener)
  }, [])
  return focusList
}
