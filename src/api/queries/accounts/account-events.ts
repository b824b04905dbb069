import { infiniteQueryOptions } from '@tanstack/react-query'
import { accountEvents } from '../../../../contract/accounts/account-activity'
import type { Api } from '../../client'

/** Newest first, ten at a time. */
export const accountEventsQuery = (api: Api) =>
  infiniteQueryOptions({
    queryKey: ['account-events'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api(accountEvents, {}, { query: { limit: 10, ...(pageParam !== undefined && { cursor: pageParam }) }, signal }),
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  })
