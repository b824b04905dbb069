import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { logSummaries, logSummary, logSummaryPlaintext } from '../../../../contract/fleet/log-summaries'
import type { Api } from '../../client'

/** Newest first, page by page. */
export const logSummariesQuery = (api: Api, deviceId: string) =>
  infiniteQueryOptions({
    queryKey: ['device', deviceId, 'log-summaries'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api(logSummaries, { deviceId }, { query: { limit: 10, ...(pageParam !== undefined && { cursor: pageParam }) }, signal }),
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  })

/** A summary never changes. */
export const logSummaryQuery = (api: Api, logSummaryId: string) =>
  queryOptions({
    queryKey: ['log-summary', logSummaryId],
    queryFn: ({ signal }) => api(logSummary, { logSummaryId }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const logSummaryTextQuery = (api: Api, logSummaryId: string) =>
  queryOptions({
    queryKey: ['log-summary', logSummaryId, 'plaintext'],
    queryFn: ({ signal }) => api(logSummaryPlaintext, { logSummaryId }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
