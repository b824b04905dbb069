import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { updateEventsQuery } from '../../api/queries/devices'
import { dueIn, paces } from '../../api/refresh'
import { FailureBox } from '../../system/failure-box'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { EmptyState } from '../../ui/notice'
import { Columns } from '../../ui/page'
import { Skeleton } from '../../ui/skeleton'
import { AttemptSection } from './attempt-section'
import { attemptsOf } from './attempts'
import { DecisionPanel } from './decision-panel'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/devices/list/$deviceId')
const stack = css({ display: 'grid', gap: '32', gridTemplateColumns: 'minmax(0, 1fr)' })

/** The update history of a device by attempt, next to the reason why it is or is not updating now. */
export default function UpdateEventsPage() {
  const { api } = useSystem()
  const { deviceId } = route.useParams()
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    ...updateEventsQuery(api, deviceId),
    refetchInterval: ({ state }) => dueIn(state, paces.event),
  })
  const attempts = attemptsOf(data?.pages.flatMap((page) => page.update_events) ?? [])
  return (
    <Columns sideFirst side={<DecisionPanel deviceId={deviceId} />}>
      {error && attempts.length === 0 ? (
        <FailureBox error={error} onRetry={() => void refetch()} />
      ) : isPending ? (
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
          {hasNextPage && (
            <Button
              busy={isFetchingNextPage}
              busyLabel="Loading..."
              onClick={() => void fetchNextPage()}
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
