import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { css } from 'styled-system/css'
import { logSummariesQuery } from '../../api/queries/log-summaries'
import { dueIn, paces } from '../../api/refresh'
import { FailureBox } from '../../system/failure-box'
import type { LoaderArgs } from '../../system/guard'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Freshness } from '../../ui/freshness'
import { EmptyState } from '../../ui/notice'
import { ToolRow } from '../../ui/page'
import { Skeleton } from '../../ui/skeleton'
import { MakeSummary } from './make-summary'
import { SummaryCard } from './summary-card'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/log-summaries')
const stack = css({ display: 'grid', gap: '16', gridTemplateColumns: 'minmax(0, 1fr)' })

/** Not awaited: the tools show at once, and the cards later. */
export const load = ({ context: { api, queryClient }, params }: LoaderArgs<'deviceId'>) =>
  void queryClient.prefetchInfiniteQuery(logSummariesQuery(api, params.deviceId))

/** The log summaries of a device, newest first. */
export default function LogSummariesPage(): ReactNode {
  const { api } = useSystem()
  const { deviceId } = route.useParams()
  const query = useInfiniteQuery({
    ...logSummariesQuery(api, deviceId),
    refetchInterval: ({ state }) => dueIn(state, paces.list),
  })
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = query
  const summaries = data?.pages.flatMap((page) => page.log_summaries) ?? []
  return (
    <>
      <ToolRow>
        <MakeSummary deviceId={deviceId} />
        <Freshness query={query} />
      </ToolRow>
      {error && summaries.length === 0 ? (
        <FailureBox error={error} onRetry={() => void refetch()} />
      ) : data && summaries.length === 0 ? (
        <EmptyState title="Not Found">
          A summary covers a period of the log: findings with their log lines, and how often each message occurred.
        </EmptyState>
      ) : (
        <div className={stack} aria-busy={isPending}>
          {isPending && <Skeleton width="full" height="bar" />}
          {summaries.map((summary, index) => (
            <SummaryCard key={summary.id} summary={summary} open={index === 0} />
          ))}
          {hasNextPage && (
            <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              Older summaries
            </Button>
          )}
        </div>
      )}
    </>
  )
}
