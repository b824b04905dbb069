import type { ReactNode } from 'react'
import { chip } from 'styled-system/recipes'
import type { Kind } from './kind'
import { kindOf, Shape } from '../layout/shape'
import type { ShapeName } from '../layout/shape'

type Props = { shape: ShapeName; kind?: Kind; children: ReactNode }

/** A state in words: "Held: window closed". */
export const Chip = ({ shape, kind, children }: Props) => {
  const said = kind ?? kindOf(shape)
  return (
    <span className={chip().root} data-kind={said === 'quiet' ? 'neutral' : said}>
      <Shape name={shape} kind={kind} />
      <span>{children}</span>
    </span>
  )
}

/** A shape and its word, without a tint: the state in a table's cell. */
export const Status = ({ shape, kind, children }: Props) => (
  <span className={chip().status}>
    <Shape name={shape} kind={kind} />
    <span>{children}</span>
  </span>
)
