import { useEffect, useEffectEvent } from 'react'
import { isPageFocused } from '../../../lib/page-focus'
import { countInSight, findFirstInSight, findFocusedRow, focusRow } from './row-focus'

/** The key that leads to the filter box, as its `aria-keyshortcuts` says. */
export const filterKey = '/'

const letters: Readonly<Record<string, number>> = { j: 1, k: -1 }

/** Where a key leads from a row; undefined if it is no key of the list. */
const nextIndex = (key: string, from: number, count: number): number | undefined => {
  const step = letters[key]
  if (step !== undefined) return from + step
  switch (key) {
    case 'ArrowDown':
      return from + 1
    case 'ArrowUp':
      return from - 1
    case 'Home':
      return 0
    case 'End':
      return count - 1
    case 'PageDown':
      return Math.min(from + countInSight(), count - 1)
    case 'PageUp':
      return Math.max(from - countInSight(), 0)
    default:
      return undefined
  }
}

const findFilter = () => document.querySelector<HTMLInputElement>(`main input[aria-keyshortcuts="${filterKey}"]`)

/**
 * Keys of a list of virtual rows: arrows, Home, End, Page Up and Page Down move the focus within the rows, j and k also from the page
 * itself; / leads to the filter box, and an arrow from there to the rows.
 */
export const useRowKeys = (count: number): void => {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    const { activeElement: active } = document
    const current = findFocusedRow()
    const isFree = isPageFocused()
    const filter = findFilter()
    // With Shift on some keyboards.
    if (event.key === filterKey && filter && (current || isFree)) {
      event.preventDefault()
      filter.focus()
      filter.select()
      return
    }
    if (event.shiftKey) return
    const isEntering = (isFree && letters[event.key] !== undefined) || (active === filter && event.key === 'ArrowDown')
    const next = current ? nextIndex(event.key, current.index, count) : isEntering ? findFirstInSight() : undefined
    if (next === undefined || next < 0 || next >= count) return
    event.preventDefault()
    focusRow(next, current?.control ?? 'a')
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => press(event)
    document.addEventListener('keydown', listener)
    return () => document.removeEventListener('keydown', listener)
  }, [])
}
