import { css } from 'styled-system/css'
import { Skeleton } from '../layout/skeleton'

const box = css({ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: '8', py: '4' })

/** A placeholder for a field whose control is loading: label, control, hint. */
export const FieldSkeleton = () => (
  <div className={box} aria-busy>
    <Skeleton width="short" />
    <Skeleton height="control" />
    <Skeleton width="long" />
  </div>
)
