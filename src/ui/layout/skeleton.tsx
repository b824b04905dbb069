import { skeleton } from 'styled-system/recipes'

type Props = {
  width?: 'short' | 'half' | 'long' | 'full'
  height?: 'line' | 'title' | 'control' | 'bar'
  round?: boolean
}

/** A placeholder box. The region that loads has `aria-busy`. */
export const Skeleton = ({ width = 'full', height = 'line', round }: Props) => (
  <span
    className={skeleton()}
    data-late
    data-width={width}
    data-height={height}
    data-shape={round ? 'round' : undefined}
    aria-hidden
  />
)
