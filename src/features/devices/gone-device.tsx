import { useInfiniteQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import type { Device } from '../../../contract/fleet/devices'
import { devicesQuery } from '../../api/queries/fleet/devices'
import { lazyPart } from '../../system/page/lazy'
import { useSystem } from '../../system/system'
import { Skeleton } from '../../ui/layout/skeleton'

const GoneNotice = lazyPart(() => import('../../system/gone/gone-notice').then((part) => part.GoneNotice))

/** In place of the page of a device that was deleted or moved elsewhere while it was open. */
export const GoneDevice = ({ device }: { device: Device }) => {
  const { api } = useSystem()
  const { id, name, project_id: projectId } = device
  // The name is only to find it sooner among many.
  const { data, isLoading } = useInfiniteQuery(devicesQuery(api, projectId, { deleted: 'true', sort: '-deleted_at', q: name }))
  if (isLoading) return <Skeleton />
  const deleted = data?.pages.flatMap(({ devices }) => devices).find((one) => one.id === id)
  return (
    <Suspense fallback={<Skeleton />}>
      <GoneNotice kind="device" id={id} name={name} log={{ projectId }} deletedAt={deleted?.deleted_at ?? undefined} />
    </Suspense>
  )
}
