import { array, boolean, enums, type Infer, integer, nullable, object, string, type } from 'superstruct'
import { endpoint, onObject, session } from '../core/endpoint'
import type { EventFacts } from './events'
import { listQuery } from '../core/lists'
import { Id, PublicId, Timestamp } from '../core/shapes'

export const notificationKinds = [
  'rollout.approval_requested',
  'rollout.approved',
  'rollout.denied',
  'rollout.halted',
  'rollout.waiting_for_user',
  'rollout.rolled_back',
  'release.revoked',
  'key.expiring',
  'access_token.expiring',
  'devices.offline',
  'devices.moved_out',
  'project.moved_out',
  'member.account_deleted',
  'invite.received',
  'sign_in.new_browser',
] as const
export type NotificationKind = (typeof notificationKinds)[number]

/** The events from which people are notified. */
export const notifyingEventTypes = [
  'rollout.approval_requested',
  'rollout.approved',
  'rollout.denied',
  'rollout.halted',
  'rollout.waiting_for_user',
  'rollout.rolled_back',
  'release.revoked',
  'key.expiring',
  'access_token.expiring',
  'device.offline',
  'device.offline.many',
] as const satisfies readonly EventFacts['type'][]
export type NotifyingEventType = (typeof notifyingEventTypes)[number]

/** What a person is told about a project: everything, what they can act on (the default), or nothing. */
export const notificationLevels = ['all', 'needs_me', 'nothing'] as const
export const NotificationLevel = enums(notificationLevels)
export type NotificationLevel = Infer<typeof NotificationLevel>

export const notificationDays = 30
/** In seconds: mails about one rollout have at least this distance; what happens meanwhile is in the next one. */
export const mailDistanceS = 900
/** So many devices, and so large a share of the project, that go offline within a quarter of an hour are told. */
export const offlineThreshold = { devices: 10, percent: 5, withinS: 900 } as const
/** The number of unread notifications is exact up to this. */
export const maxUnread = 100

const ProjectRef = type({ id: Id, name: string() })
const OrganizationRef = type({ public_id: PublicId, name: string() })

export const Notification = type({
  id: Id,
  kind: enums(notificationKinds),
  at: Timestamp,
  read: boolean(),
  title: string(),
  text: string(),
  /** Null for what is about the person. */
  project: nullable(ProjectRef),
  /** The path of the console where it is handled; null if there is none. */
  link: nullable(string()),
})
export type Notification = Infer<typeof Notification>

export const notifications = endpoint({
  method: 'GET',
  path: '/notifications',
  summary: 'List the notifications of the caller of the last 30 days, newest first, with the number of unread ones.',
  needs: session,
  audit: 'none',
  rate: 'read',
  query: object({ limit: listQuery.limit, cursor: listQuery.cursor }),
  answer: type({
    notifications: array(Notification),
    next_cursor: nullable(string()),
    /** At most `maxUnread`. */
    unread: integer(),
  }),
})

export const readNotifications = endpoint({
  method: 'POST',
  path: '/notifications/read',
  summary: 'Mark the notifications of the caller as read, up to the one that is named.',
  needs: session,
  audit: 'none',
  rate: 'write',
  body: object({ through: Id }),
  answer: 'none',
})

export const readNotification = endpoint({
  method: 'POST',
  path: '/notifications/:notificationId/read',
  summary: 'Mark one notification of the caller as read.',
  needs: { kind: 'self', scope: onObject('notification', 'notificationId') },
  audit: 'none',
  rate: 'write',
  answer: 'none',
})

export const NotificationSetting = type({
  project: ProjectRef,
  /** Null for personal projects. */
  organization: nullable(OrganizationRef),
  level: NotificationLevel,
})
export type NotificationSetting = Infer<typeof NotificationSetting>

export const notificationSettings = endpoint({
  method: 'GET',
  path: '/notification_settings',
  summary: 'List the projects of the caller with what they are told about each.',
  needs: session,
  audit: 'none',
  rate: 'read',
  answer: type({ settings: array(NotificationSetting) }),
})

export const changeNotificationSetting = endpoint({
  method: 'PUT',
  path: '/notification_settings/:projectId',
  summary: 'Choose what the caller is told about a project. Unsubscribe links of earlier mails stop working.',
  needs: session,
  audit: 'user.notifications_change',
  rate: 'write',
  body: object({ level: NotificationLevel }),
  answer: NotificationSetting,
})
