import { sql } from 'drizzle-orm'
import { index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import type { NotificationLevel } from '../../../contract/accounts/notifications'
import { moment } from '../../core/database/schema/columns'
import type { NotificationFacts } from '../notifications/facts'
import { users } from './people'
import { projects } from './projects'

const userId = () =>
  text('user_id')
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' })

/** What people are told, each row for one person. */
export const notifications = pgTable(
  'notifications',
  {
    id: text('id').primaryKey(),
    userId: userId(),
    /** Null for what is about the person. */
    projectId: text('project_id').references(() => projects.id, { onDelete: 'cascade' }),
    kind: text('kind').$type<NotificationFacts['kind']>().notNull(),
    /** What it is about: one mail at a time. */
    topic: text('topic').notNull(),
    at: moment('at').notNull(),
    data: jsonb('data').$type<NotificationFacts['data']>().notNull(),
    readAt: moment('read_at'),
    /** The next attempt to mail it, also how long an attempt may take; null if none follows. */
    mailAt: moment('mail_at'),
    mailedAt: moment('mailed_at'),
  },
  (table) => [
    index('notifications_list').on(table.userId, table.id),
    index('notifications_unread')
      .on(table.userId, table.projectId)
      .where(sql`${table.readAt} is null`),
    index('notifications_topic').on(table.topic, table.userId, table.mailedAt),
    index('notifications_due')
      .on(table.mailAt)
      .where(sql`${table.mailAt} is not null`),
    index('notifications_project').on(table.projectId),
    index('notifications_at').on(table.at),
  ],
)

/** What a person has chosen for a project. `version` is in the unsubscribe links: others are not valid. */
export const notificationSettings = pgTable(
  'notification_settings',
  {
    userId: userId(),
    projectId: text('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    level: text('level').$type<NotificationLevel>().notNull(),
    version: integer('version').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.projectId] }),
    index('notification_settings_project').on(table.projectId),
  ],
)

/** The browsers with which a person has signed in, by the hash of their cookie. */
export const knownBrowsers = pgTable(
  'known_browsers',
  {
    userId: userId(),
    browserHash: text('browser_hash').notNull(),
    lastUsedAt: moment('last_used_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.browserHash] }), index('known_browsers_used').on(table.lastUsedAt)],
)
