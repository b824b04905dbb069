import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense } from 'react'
import { css } from 'styled-system/css'
import { deviceQuery, updateEventsQuery } from '../../api/queries/devices'
import { paces } from '../../api/refresh'
import { FailureBox } from '../../system/failure-box'
import { lazyPart } from '../../system/lazy'
import { useList } from '../../system/list'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { EmptyState } from '../../ui/notice'
import { Columns } from '../../ui/page'
import { Skeleton } from '../../ui/skeleton'
import { AttemptSection } from './attempt-section'
import { attemptsOf } from './attempts'
import { DecisionPanel } from './decision-panel'

const SecureBootPanel = lazyPart(() => import('./secure-boot-panel').then((part) => part.SecureBootPanel))
const ReportPanel = lazyPart(() => import('./report-panel').then((part) => part.ReportPanel))
const route = getRouteApi('/organizations/$organizationId/projects/$projectId/devices/list/$deviceId')
const stack = css({ display: 'grid', gap: '32', gridTemplateColumns: 'minmax(0, 1fr)' })

/** The update history of a device by attempt, next to the reason why it is or is not updating now. */
export default function UpdateEventsPage() {
  const { api } = useSystem()
  const { deviceId } = route.useParams()
  const { data: device } = useSuspenseQuery(deviceQuery(api, deviceId))
  const list = useList(updateEventsQuery(api, deviceId), { rows: (page) => page.update_events, pace: paces.event })
  const attempts = attemptsOf(list.rows)
  return (
    <Columns
      sideFirst
      side={
        <>
          <DecisionPanel device={device} />
          <Suspense>{device.protocol === 'ddi' && <ReportPanel deviceId={deviceId} />}</Suspense>
          <Suspense>{device.secure_boot.state !== 'unknown' && <SecureBootPanel deviceId={deviceId} />}</Suspense>
        </>
      }
    >
      {list.error && attempts.length === 0 ? (
        <FailureBox error={list.error} onRetry={list.retry} />
      ) : list.isPending ? (
        <div className={stack} aria-busy>
          <Skeleton height="title" width="half" />
          <Skeleton width="long" />
          <Skeleton width="half" />
        </div>
      ) : attempts.length === 0 ? (
        <EmptyState title="Not Found">Events appear when a rollout offers this device a release.</EmptyState>
      ) : (
        <div className={stack}>
          {attempts.map((attempt) => (
            <AttemptSection key={attempt.key} attempt={attempt} />
          ))}
          {list.hasMore && (
            <Button
              busy={list.isLoadingMore}
              busyLabel="Loading..."
              onClick={list.loadMore}
              className={css({ justifySelf: 'start' })}
            >
              Show older
            </Button>
          )}
        </div>
      )}
    </Columns>
  )
}
