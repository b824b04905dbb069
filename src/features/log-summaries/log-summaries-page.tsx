import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { css } from 'styled-system/css'
import { logSummariesQuery } from '../../api/queries/fleet/log-summaries'
import { paces } from '../../api/refresh'
import { FailureBox } from '../../system/failure/failure-box'
import type { LoaderArgs } from '../../system/scope/guard'
import { useList } from '../../system/list/list'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Freshness } from '../../system/refresh/freshness'
import { EmptyState } from '../../ui/layout/notice'
import { ToolRow } from '../../ui/layout/page'
import { Skeleton } from '../../ui/layout/skeleton'
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
  const list = useList(logSummariesQuery(api, deviceId), { rows: (page) => page.log_summaries, pace: paces.list })
  return (
    <>
      <ToolRow>
        <MakeSummary deviceId={deviceId} />
        <Freshness query={list.query} />
      </ToolRow>
      {list.error && list.rows.length === 0 ? (
        <FailureBox error={list.error} onRetry={list.retry} />
      ) : list.isEmpty ? (
        <EmptyState title="Not Found">
          A summary covers a period of the log: findings with their log lines, and how often each message occurred.
        </EmptyState>
      ) : (
        <div className={stack} aria-busy={list.isPending}>
          {list.isPending && <Skeleton width="full" height="bar" />}
          {list.rows.map((summary, index) => (
            <SummaryCard key={summary.id} summary={summary} open={index === 0} />
          ))}
          {list.hasMore && (
            <Button busy={list.isLoadingMore} onClick={list.loadMore}>
              Older summaries
            </Button>
          )}
        </div>
      )}
    </>
  )
}
