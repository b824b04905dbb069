import { Suspense, useState } from 'react'
import type { Device } from '../../../../contract/fleet/devices'
import { lazyPart } from '../../../system/page/lazy'
import { Button } from '../../../ui/button'
import { Icon } from '../../../ui/icon/icon'
import type { DevicesChange } from './devices-search'

const FilterForm = lazyPart(() => import('./filter-form').then((part) => part.FilterForm))

type Props = {
  projectId: string
  /** Loaded devices: their versions and attributes are suggested. */
  devices: readonly Device[]
  onAdd: (change: DevicesChange) => void
}

/** Any filter of the list, also those that the counts above it do not show. */
export const AddFilter = (props: Props) => {
  const [used, setUsed] = useState(false)
  const trigger = (
    <Button size="small" variant="ghost" icon={<Icon name="plus" />} aria-haspopup="dialog" onClick={() => setUsed(true)}>
      Filter
    </Button>
  )
  if (!used) return trigger
  return (
    <Suspense fallback={trigger}>
      <FilterForm {...props}>{trigger}</FilterForm>
    </Suspense>
  )
}
