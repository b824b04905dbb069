import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense } from 'react'
import { css } from 'styled-system/css'
import { isEnded, isUnderWay } from '../../../../contract/device/update-events'
import { deviceQuery, updateEventsQuery } from '../../../api/queries/fleet/devices'
import { paces } from '../../../api/refresh'
import { FailureBox } from '../../../system/failure/failure-box'
import { lazyPart } from '../../../system/page/lazy'
import { useList } from '../../../system/list/list'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import { ChartPanel } from '../../../ui/chart/chart-panel'
import { EmptyState } from '../../../ui/layout/notice'
import { Columns } from '../../../ui/layout/page'
import { Skeleton } from '../../../ui/layout/skeleton'
import { AttemptSection } from './attempt-section'
import { attemptsOf, currentOf, expectsReports } from './attempts'
import { DecisionPanel } from './decision-panel'
import { type EventsSearch, readEventsSearch, toEventFilters } from './event-filters'

const SecureBootPanel = lazyPart(() => import('./secure-boot-panel').then((part) => part.SecureBootPanel))
const ReportPanel = lazyPart(() => import('./report-panel').then((part) => part.ReportPanel))
const EventTools = lazyPart(() => import('./event-tools').then((part) => part.EventTools))
const UpdateChart = lazyPart(() => import('./update-chart').then((part) => part.UpdateChart))
const route = getRouteApi('/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/update-events')
const stack = css({ display: 'grid', gap: '32', gridTemplateColumns: 'minmax(0, 1fr)' })

/** The update history of a device by attempt, next to the reason why it is or is not updating now. */
export default function UpdateEventsPage() {
  const { api } = useSystem()
  const { deviceId } = route.useParams()
  const { data: device } = useSuspenseQuery(deviceQuery(api, deviceId))
  const { update } = device
  const search = readEventsSearch(route.useSearch())
  const navigate = route.useNavigate()
  const change = (next: EventsSearch) => void navigate({ search: (kept) => ({ ...kept, ...next }), replace: true })
  const query = updateEventsQuery(api, deviceId, toEventFilters(search))
  const known =
    useQueryClient()
      .getQueryData(query.queryKey)
      ?.pages.flatMap((page) => page.update_events) ?? []
  // Events of one type do not say how far an attempt came.
  const isPartial = search.type !== undefined
  const isAwaited = isPartial ? update !== null && isUnderWay(update.state) : expectsReports(attemptsOf(known), update)
  const list = useList(query, {
    rows: (page) => page.update_events,
    // The stream of events does not announce the reports of devices.
    pace: isAwaited ? paces.event : paces.list,
  })
  const attempts = attemptsOf(list.rows)
  const isFiltered = Object.keys(search).length > 0
  const current = currentOf(attempts, update)
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
      {(isFiltered || attempts.length > 0) && (
        <Suspense>
          <EventTools search={search} onChange={change} />
        </Suspense>
      )}
      {list.error && attempts.length === 0 ? (
        <FailureBox error={list.error} onRetry={list.retry} />
      ) : list.isPending ? (
        <div className={stack} aria-busy>
          <Skeleton height="title" width="half" />
          <Skeleton width="long" />
          <Skeleton width="half" />
        </div>
      ) : attempts.length === 0 && isFiltered ? (
        <EmptyState
          small
          title="Not Found"
          action={<Button onClick={() => change({ type: undefined, period: undefined })}>Clear filters</Button>}
        />
      ) : attempts.length === 0 ? (
        <EmptyState title="Not Found">Events appear when a rollout offers this device a release.</EmptyState>
      ) : (
        <div className={stack}>
          {update && current && !isPartial && (
            <ChartPanel about="All states of a device update, the present one, and the way that this attempt took.">
              <UpdateChart attempt={current} state={update.state} />
            </ChartPanel>
          )}
          {attempts.map((attempt) => (
            <AttemptSection
              key={attempt.key}
              attempt={attempt}
              isPartial={isPartial}
              isCurrent={attempt === current && !isEnded(update?.state ?? '')}
            />
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
