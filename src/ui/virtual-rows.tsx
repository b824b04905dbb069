import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { table } from 'styled-system/recipes'
import { useNarrow } from './use-narrow'

type Props = {
  count: number
  /** Pixels; 36, or 28 in a dense table. */
  rowHeight?: number
  /** In a table that stacks: rows of two lines under 768 px. */
  stack?: boolean
  /** Height in pixels of a stacked row that contains more than text; 64 by default. */
  narrowHeight?: number | undefined
  columns: number
  children: (index: number) => ReactNode
  /** Called near the end, to fetch more. */
  onEnd?: () => void
  /** Called with the first and the last row in view. */
  onView?: (first: number, last: number) => void
}

/** Only the visible rows are in the document; two empty rows take the space of the others. */
export const VirtualRows = ({ count, rowHeight = 36, stack, narrowHeight = 64, columns, children, onEnd, onView }: Props) => {
  const body = useRef<HTMLTableSectionElement>(null)
  const [offset, setOffset] = useState(0)
  const narrow = useNarrow()
  const height = stack && narrow ? narrowHeight : rowHeight
  useLayoutEffect(() => {
    const measure = () => body.current && setOffset(Math.round(body.current.getBoundingClientRect().top + window.scrollY))
    measure()
    // The content above the rows may grow later.
    const grown = new ResizeObserver(measure)
    grown.observe(document.body)
    return () => grown.disconnect()
  }, [])
  // oxlint-disable-next-line react/incompatible-library -- rows are read from the virtualizer in this render only
  const rows = useWindowVirtualizer({
    count,
    estimateSize: () => height,
    overscan: 1,
    scrollMargin: offset,
    onChange: (instance) => {
      const last = instance.getVirtualItems().at(-1)
      if (instance.range) onView?.(instance.range.startIndex, instance.range.endIndex)
      if (last && last.index >= count - 1) onEnd?.()
    },
  })
  useLayoutEffect(() => rows.measure(), [rows, height])
  const shown = rows.getVirtualItems()
  const before = (shown[0]?.start ?? offset) - offset
  const after = rows.getTotalSize() - ((shown.at(-1)?.end ?? offset) - offset)
  return (
    <tbody ref={body}>
      <Spacer height={before} columns={columns} />
      {shown.map((item) => children(item.index))}
      <Spacer height={after} columns={columns} />
    </tbody>
  )
}

const Spacer = ({ height, columns }: { height: number; columns: number }) =>
  height > 0 ? (
    <tr className={table().row} data-spacer aria-hidden>
      {/* oxlint-disable-next-line jsx-a11y/control-has-associated-label -- it only holds a height */}
      <td colSpan={columns} style={{ height }} />
    </tr>
  ) : null
