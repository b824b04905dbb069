export type RowControl = 'a' | 'input[type=checkbox]'

const rowsSelector = 'tr[data-index]'
const indexOf = (row: Element | null | undefined): number | undefined => {
  const index = row?.getAttribute('data-index')
  return index === null || index === undefined ? undefined : Number(index)
}

const bottomOfHead = () => document.querySelector('thead')?.getBoundingClientRect().bottom ?? 0

/** The first row below the head of the table. */
export const findFirstInSight = (): number | undefined => {
  const top = bottomOfHead()
  return indexOf([...document.querySelectorAll(rowsSelector)].find((row) => row.getBoundingClientRect().top >= top - 1))
}

/** How many rows a page of keys is: one of those in sight stays. */
export const countInSight = (): number => {
  const height = document.querySelector(rowsSelector)?.getBoundingClientRect().height ?? 1
  return Math.max(1, Math.floor((window.innerHeight - bottomOfHead()) / height) - 1)
}

const focusRendered = (index: number, control: RowControl): boolean => {
  const row = document.querySelector(`tr[data-index="${index}"]`)
  const target = row?.querySelector<HTMLElement>(control)
  target?.focus({ preventScroll: true })
  // The first cell has the margins that keep the row clear of what is fixed over the list.
  row?.querySelector('td')?.scrollIntoView({ block: 'nearest' })
  return target !== undefined && target !== null
}

/** Rows have one height. */
const scrollToRow = (index: number) => {
  const row = document.querySelector(rowsSelector)
  const from = indexOf(row)
  if (!row || from === undefined) return
  const { top, height } = row.getBoundingClientRect()
  window.scrollBy(0, top + (index - from) * height - window.innerHeight / 2)
}

/** Frames in which a row has to appear after the list was scrolled to it. */
const maxFrames = 30
/** The row that the focus is on its way to: the row that it has left may no longer be rendered. */
let awaited: { index: number; control: RowControl; frame: number } | undefined

/** Focuses a control of a row; one that is not rendered is scrolled to first. */
export const focusRow = (index: number, control: RowControl): void => {
  if (awaited) cancelAnimationFrame(awaited.frame)
  awaited = undefined
  if (focusRendered(index, control)) return
  scrollToRow(index)
  let frames = maxFrames
  const wait = () => ({ index, control, frame: requestAnimationFrame(attempt) })
  const attempt = () => {
    frames -= 1
    awaited = !focusRendered(index, control) && frames > 0 ? wait() : undefined
  }
  awaited = wait()
}

/** The control of a row that has the focus, or is about to. */
export const findFocusedRow = (): { index: number; control: RowControl } | undefined => {
  if (awaited) return awaited
  const { activeElement: active } = document
  const index = active?.matches('a, input[type=checkbox]') ? indexOf(active.closest(rowsSelector)) : undefined
  return index === undefined ? undefined : { index, control: active?.matches('a') ? 'a' : 'input[type=checkbox]' }
}
