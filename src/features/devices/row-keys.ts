import { useEffect, useEffectEvent } from 'react'

const steps: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }

const linkOf = (index: number) => document.querySelector<HTMLElement>(`tr[data-index="${index}"] a`)
const indexOf = (element: Element | null) => {
  const index = element?.closest('tr[data-index]')?.getAttribute('data-index')
  return index === null || index === undefined ? undefined : Number(index)
}

/** The first row below the head of the table. */
const firstInSight = () => {
  const top = document.querySelector('thead')?.getBoundingClientRect().bottom ?? 0
  const rows = [...document.querySelectorAll('tr[data-index]')]
  return indexOf(rows.find((row) => row.getBoundingClientRect().top >= top - 1) ?? null)
}

let waiting = 0

/** Focuses the link of a row; one that is not rendered yet is scrolled to, and has a few frames to appear. */
const focusRow = (index: number, rowHeight: number): void => {
  cancelAnimationFrame(waiting)
  const link = linkOf(index)
  if (link) return link.focus()
  window.scrollBy(0, rowHeight)
  let attempts = 3
  const attempt = () => {
    const rendered = linkOf(index)
    attempts -= 1
    if (rendered) rendered.focus()
    else if (attempts > 0) waiting = requestAnimationFrame(attempt)
  }
  waiting = requestAnimationFrame(attempt)
}

/** Keys of a list of virtual rows: arrows move the focus within the rows, j and k also from the page itself. */
export const useRowKeys = (count: number, rowHeight: number): void => {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const step = steps[event.key]
    if (step === undefined || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
    const { activeElement: active } = document
    const current = indexOf(active)
    const isFree = active === document.body || active === null || active.id === 'main'
    if (current === undefined && (!isFree || event.key.startsWith('Arrow'))) return
    const next = current === undefined ? firstInSight() : current + step
    if (next === undefined || next < 0 || next >= count) return
    event.preventDefault()
    focusRow(next, step * rowHeight)
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => press(event)
    document.addEventListener('keydown', listener)
    return () => document.removeEventListener('keydown', listener)
  }, [])
}
