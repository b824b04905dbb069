import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import { css } from 'styled-system/css'
import { columnWidths } from '../../../../contract/fleet/saved-views'

const handle = css({
  position: 'absolute',
  top: '0',
  right: '-4',
  w: '8',
  h: 'full',
  // Its half over the next column too.
  zIndex: 'sticky',
  cursor: 'col-resize',
  touchAction: 'none',
  hideBelow: 'md',
  borderRadius: '2',
  _hover: { bg: 'lineStrong' },
})
const stepPx = 8

const clamp = (width: number) => Math.round(Math.min(columnWidths.max, Math.max(columnWidths.min, width)))

type Props = { label: string; width: number; onWidth: (width: number | null) => void }

/** Changes the width of a column: by dragging, or with the arrow keys. A double click or Delete restores the default. */
export const ColumnHandle = ({ label, width, onWidth }: Props) => {
  const from = useRef<{ x: number; width: number }>(undefined)
  const headOf = (event: { currentTarget: Element }) => event.currentTarget.closest('th')
  const start = (event: PointerEvent<HTMLSpanElement>) => {
    event.preventDefault()
    event.currentTarget.setPointerCapture(event.pointerId)
    from.current = { x: event.clientX, width: headOf(event)?.offsetWidth ?? width }
  }
  const wanted = (event: PointerEvent) => from.current && clamp(from.current.width + event.clientX - from.current.x)
  const move = (event: PointerEvent<HTMLSpanElement>) => {
    const [next, head] = [wanted(event), headOf(event)]
    // Not through React: the browser lays out the whole table anew for each pixel.
    if (next !== undefined && head) head.style.width = `${next}px`
  }
  const end = (event: PointerEvent<HTMLSpanElement>) => {
    const next = wanted(event)
    const isMoved = from.current?.x !== event.clientX
    from.current = undefined
    if (next !== undefined && isMoved) onWidth(next)
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -stepPx, ArrowRight: stepPx }[event.key]
    if (step === undefined && event.key !== 'Delete') return
    event.preventDefault()
    event.stopPropagation()
    onWidth(step === undefined ? null : clamp(width + step))
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/prefer-tag-over-role -- a separator with a value is a control
    <span
      role="separator"
      aria-orientation="vertical"
      aria-label={`Width of ${label}`}
      aria-valuenow={width}
      aria-valuemin={columnWidths.min}
      aria-valuemax={columnWidths.max}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- as above
      tabIndex={0}
      className={handle}
      onPointerDown={start}
      onPointerMove={move}
      onPointerUp={end}
      onPointerCancel={end}
      onDoubleClick={() => onWidth(null)}
      onKeyDown={press}
    />
  )
}
