import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import { lazyPart } from '../../../system/page/lazy'
import { Button } from '../../../ui/button'
import type { Facet } from '../../../ui/list/facets'
import { Icon } from '../../../ui/icon/icon'

const FilterPanel = lazyPart(() => import('./filter-panel').then((part) => part.FilterPanel))
const narrowOnly = css({ hideFrom: 'md' })
const number = css({ color: 'muted', fontWeight: 'regular' })

type Props = {
  facets: readonly Facet[]
  /** The number of active filters. */
  count: number
  onChoose: (field: string, value: string) => void
  onClear: () => void
}

/** Under 768 px the strip shows its first field only; the others are in a sheet. */
export const FilterSheet = (props: Props) => {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button className={narrowOnly} icon={<Icon name="filter" />} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Filters
        {props.count > 0 && <span className={number}>{props.count}</span>}
      </Button>
      {open && (
        <Suspense>
          <FilterPanel {...props} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
