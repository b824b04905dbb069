import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { webhookDeliveries, webhooks } from '../../../../contract/accounts/webhooks'
import type { Api } from '../../client'

export const webhooksQuery = (api: Api, projectId: string) =>
  queryOptions({
    queryKey: ['webhooks', projectId],
    queryFn: async ({ signal }) => (await api(webhooks, { projectId }, { signal })).webhooks,
  })

/** Newest first, page by page. */
export const webhookDeliveriesQuery = (api: Api, webhookId: string) =>
  infiniteQueryOptions({
    queryKey: ['webhook-deliveries', webhookId],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api(
        webhookDeliveries,
        { webhookId },
        { query: { limit: 25, ...(pageParam !== undefined && { cursor: pageParam }) }, signal },
      ),
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  })
