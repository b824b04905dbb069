import { queryOptions } from '@tanstack/react-query'
import { subscriptions } from '../../../../contract/accounts/subscriptions'
import type { Api } from '../../client'

export const subscriptionsQuery = (api: Api) =>
  queryOptions({
    queryKey: ['subscriptions'],
    queryFn: async ({ signal }) => (await api(subscriptions, {}, { signal })).subscriptions,
    // The billing provider changes it.
    staleTime: 0,
  })
