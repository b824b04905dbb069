import { mutationOptions, type QueryClient } from '@tanstack/react-query'
import {
  changeNotificationSetting,
  type NotificationLevel,
  readNotification,
  readNotifications,
} from '../../../../contract/accounts/notifications'
import type { Api } from '../../client'
import { notificationSettingsQuery } from '../../queries/accounts/notifications'

const renew = (client: QueryClient) => client.invalidateQueries({ queryKey: ['notifications'] })

export const readNotificationMutation = (api: Api) =>
  mutationOptions({
    mutationFn: (notificationId: string) => api(readNotification, { notificationId }, {}),
    onSuccess: (_done, _id, _kept, { client }) => renew(client),
  })

/** Marks the notifications up to this one as read: later ones were not seen. */
export const readNotificationsMutation = (api: Api) =>
  mutationOptions({
    mutationFn: (through: string) => api(readNotifications, {}, { body: { through } }),
    onSuccess: (_done, _through, _kept, { client }) => renew(client),
  })

export const changeNotificationSettingMutation = (api: Api) =>
  mutationOptions({
    mutationFn: ({ projectId, level }: { projectId: string; level: NotificationLevel }) =>
      api(changeNotificationSetting, { projectId }, { body: { level } }),
    onSuccess: (changed, _input, _kept, { client }) =>
      client.setQueryData(notificationSettingsQuery(api).queryKey, (settings) =>
        settings?.map((one) => (one.project.id === changed.project.id ? changed : one)),
      ),
  })
