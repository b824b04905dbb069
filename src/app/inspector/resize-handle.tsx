import type { KeyboardEvent, PointerEvent } from 'react'
import type { Side } from './docking'
import { inspector } from './inspector.recipe'

type Props = { side: Side; size: number; onResize: (size: number) => void }

const step = 20
const larger = { bottom: 'ArrowUp', right: 'ArrowLeft' } as const
const smaller = { bottom: 'ArrowDown', right: 'ArrowRight' } as const

/** The edge for resizing, by pointer or with the arrow keys. */
export const ResizeHandle = ({ side, size, onResize }: Props) => {
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return
    onResize(side === 'bottom' ? window.innerHeight - event.clientY : window.innerWidth - event.clientX)
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === larger[side]) onResize(size + step)
    else if (event.key === smaller[side]) onResize(size - step)
    else return
    event.preventDefault()
  }
  return (
    <div
      role="separator"
      tabIndex={0}
      aria-label="Size of the inspector"
      aria-orientation={side === 'bottom' ? 'horizontal' : 'vertical'}
      aria-valuenow={size}
      className={inspector.edge}
      data-side={side}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onKeyDown={press}
    />
  )
}
