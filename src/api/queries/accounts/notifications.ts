import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { notifications, notificationSettings } from '../../../../contract/accounts/notifications'
import type { Api } from '../../client'

export const notificationsQuery = (api: Api) =>
  infiniteQueryOptions({
    queryKey: ['notifications'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api(notifications, {}, { query: { limit: 20, ...(pageParam !== undefined && { cursor: pageParam }) }, signal }),
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  })

export const notificationSettingsQuery = (api: Api) =>
  queryOptions({
    queryKey: ['notification-settings'],
    queryFn: async ({ signal }) => (await api(notificationSettings, {}, { signal })).settings,
  })
