import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { css } from 'styled-system/css'
import { button } from 'styled-system/recipes'
import { logSummariesQuery, logSummaryTextQuery } from '../../api/queries/fleet/log-summaries'
import { FailureBox } from '../../system/failure/failure-box'
import { useSystem } from '../../system/system'
import { Code } from '../../ui/text/code'
import { CopyButton } from '../../ui/text/copy-button'
import { Icon } from '../../ui/icon/icon'
import { EmptyState } from '../../ui/layout/notice'
import { ToolRow } from '../../ui/layout/page'
import { Skeleton } from '../../ui/layout/skeleton'

const place = '/organizations/$organizationId/projects/$projectId/devices/list/$deviceId' as const
const route = getRouteApi(`${place}/log-summaries-plaintext`)

/** A summary as text, for a ticket or a mail: the one in the URL, otherwise the newest. */
export default function LogSummariesPlaintextPage(): ReactNode {
  const { api } = useSystem()
  const params = route.useParams()
  const { summary } = route.useSearch()
  const newest = useInfiniteQuery({ ...logSummariesQuery(api, params.deviceId), enabled: summary === undefined })
  const id = summary ?? newest.data?.pages[0]?.log_summaries[0]?.id
  const text = useQuery({ ...logSummaryTextQuery(api, id ?? ''), enabled: id !== undefined })
  const error = text.error ?? newest.error
  return (
    <>
      <ToolRow>
        <Link to={`${place}/log-summaries`} params={params} className={button({ size: 'small' })}>
          <Icon name="back" size={14} />
          All summaries
        </Link>
        {text.data !== undefined && <CopyButton value={text.data}>Copy text</CopyButton>}
      </ToolRow>
      {error ? (
        <FailureBox error={error} onRetry={() => void (text.error ? text.refetch() : newest.refetch())} />
      ) : newest.data && id === undefined ? (
        <EmptyState title="Not Found">This device has no summaries yet. Create one under “All summaries”.</EmptyState>
      ) : text.data === undefined ? (
        <div aria-busy className={css({ w: 'full' })}>
          <Skeleton width="full" height="bar" />
        </div>
      ) : (
        <Code label="Log summary" code={text.data.trimEnd()} copy={false} />
      )}
    </>
  )
}
