import { defaultRangeExtractor, type Range, useWindowVirtualizer } from '@tanstack/react-virtual'
import { type CSSProperties, Fragment, type KeyboardEvent, useLayoutEffect, useReducer, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { createRowPlaces } from './row-places'
import { useVirtualColumns } from './use-virtual-columns'
import { useNarrow } from '../layout/use-narrow'

type Props = {
  count: number
  /** Pixels; 36, or 28 in a dense table. */
  rowHeight?: number
  /** In a table that stacks: rows of two lines under 768 px. */
  stack?: boolean
  /** Height in pixels of a stacked row that contains more than text; 64 by default. */
  narrowHeight?: number | undefined
  /**
   * One element shows one row after another while the list scrolls: several times faster, for rows that have no state of their own.
   * Such rows have no key; others have that of their item.
   */
  reuse?: boolean
  /** A `Table.Row`. */
  children: (index: number) => ReactNode
  /** Called near the end, to fetch more. */
  onEnd?: () => void
  /** Called with the first and the last row in view. */
  onView?: (first: number, last: number) => void
}

/** The head is the first row. */
const positionOf = (index: number) => String(index + 2)
const topOf = (index: number, height: number) => `${index * height}px`

/** The row with the focus; it stays in the document when it goes out of view. */
const focusedIn = (body: HTMLElement | null) => {
  const row = document.activeElement?.closest('tr')
  return body && row?.parentElement === body ? Number(row.ariaRowIndex) - 2 : undefined
}

/** Only the visible rows are in the document, each in its place of a body that is as high as all of them; for a `virtual` table. */
export const VirtualRows = ({
  count,
  rowHeight = 36,
  stack,
  narrowHeight = 64,
  reuse = false,
  children,
  onEnd,
  onView,
}: Props) => {
  const body = useRef<HTMLTableSectionElement>(null)
  const [offset, setOffset] = useState(0)
  const [place] = useState(createRowPlaces)
  const rerender = useReducer((n: number) => n + 1, 0)[1]
  const narrow = useNarrow()
  const height = stack && narrow ? narrowHeight : rowHeight
  useVirtualColumns(body)
  useLayoutEffect(() => {
    const measure = () => body.current && setOffset(Math.round(body.current.getBoundingClientRect().top + window.scrollY))
    measure()
    // The content above the rows may grow later.
    const grown = new ResizeObserver(measure)
    grown.observe(document.body)
    return () => grown.disconnect()
  }, [])
  const withFocused = (range: Range) => {
    const indices = defaultRangeExtractor(range)
    const focused = focusedIn(body.current)
    return focused === undefined || focused >= count || indices.includes(focused)
      ? indices
      : [...indices, focused].toSorted((one, other) => one - other)
  }
  // oxlint-disable-next-line react/incompatible-library -- rows are read from the virtualizer in this render only
  const rows = useWindowVirtualizer({
    count,
    estimateSize: () => height,
    overscan: 1,
    scrollMargin: offset,
    rangeExtractor: withFocused,
    onChange: (instance) => {
      if (!instance.range) return
      onView?.(instance.range.startIndex, instance.range.endIndex)
      if (instance.range.endIndex >= count - 2) onEnd?.()
    },
  })
  useLayoutEffect(() => rows.measure(), [rows, height])
  const indices = rows.getVirtualItems().map(({ index }) => index)
  const shown = reuse ? place(indices, count, rows.isScrolling) : indices.map((index) => ({ key: index, index }))
  useLayoutEffect(() => {
    for (const [n, { index }] of shown.entries()) {
      const row = body.current?.children[n]
      const position = positionOf(index)
      if (!(row instanceof HTMLElement) || (row.ariaRowIndex === position && row.style.top === topOf(index, height))) continue
      row.ariaRowIndex = position
      row.style.top = topOf(index, height)
    }
  })
  // The next element in the document has the focus after Tab. Also after the scrolling: its last rows may not be drawn yet.
  const putInOrder = ({ key }: KeyboardEvent) => {
    if (key !== 'Tab' || !reuse) return
    rows.isScrolling = false
    flushSync(rerender)
  }
  const style: CSSProperties & { '--row': string } = { height: rows.getTotalSize(), '--row': `${height}px` }
  return (
    <tbody ref={body} style={style} onKeyDownCapture={putInOrder}>
      {shown.map(({ key, index }) => (reuse ? <Fragment key={key}>{children(index)}</Fragment> : children(index)))}
    </tbody>
  )
}
