import { type ReactNode, Suspense, useState } from 'react'
import type { Device } from '../../../../contract/fleet/devices'
import { lazyPart } from '../../../system/page/lazy'
import * as Popover from '../../../ui/overlay/popover'
import { Skeleton } from '../../../ui/layout/skeleton'
import type { DevicesChange } from './devices-search'

const FilterFields = lazyPart(() => import('./filter-fields').then((part) => part.FilterFields))

type Props = {
  projectId: string
  devices: readonly Device[]
  onAdd: (change: DevicesChange) => void
  children: ReactNode
}

/** Loaded when the button is first pressed, and then opened at once. */
export const FilterForm = ({ projectId, devices, onAdd, children }: Props) => {
  const [open, setOpen] = useState(true)
  const add = (change: DevicesChange) => {
    onAdd(change)
    setOpen(false)
  }
  return (
    <Popover.Root
      open={open}
      onOpenChange={(change) => setOpen(change.open)}
      positioning={{ placement: 'bottom-start' }}
      lazyMount
      unmountOnExit
    >
      <Popover.Trigger asChild>{children}</Popover.Trigger>
      <Popover.Content aria-label="Add a filter">
        <Suspense fallback={<Skeleton />}>
          <FilterFields projectId={projectId} devices={devices} onAdd={add} />
        </Suspense>
      </Popover.Content>
    </Popover.Root>
  )
}
