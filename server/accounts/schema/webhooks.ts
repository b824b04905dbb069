import { sql } from 'drizzle-orm'
import { index, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import type { EventType } from '../../../contract/accounts/events'
import type { Webhook, WebhookDelivery } from '../../../contract/accounts/webhooks'
import { entity, moment } from '../../core/database/schema/columns'
import { users } from './people'
import { projects } from './projects'

/** Where events of a project are sent. The secrets are encrypted: they sign each delivery. */
export const webhooks = pgTable(
  'webhooks',
  {
    ...entity,
    projectId: text('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    makerId: text('maker_id').references(() => users.id, { onDelete: 'set null' }),
    url: text('url').notNull(),
    types: text('types').array().$type<EventType[]>().notNull(),
    state: text('state').$type<Webhook['state']>().notNull(),
    stateReason: text('state_reason'),
    secret: text('secret').notNull(),
    secretPrefix: text('secret_prefix').notNull(),
    previousSecret: text('previous_secret'),
    previousUntil: moment('previous_until'),
    /** The first failure after the last success. */
    failingSince: moment('failing_since'),
    lastDeliveryAt: moment('last_delivery_at'),
  },
  (table) => [index('webhooks_project').on(table.projectId, table.createdAt, table.id)],
)

/**
 * One event for one webhook: a trigger on the events adds it in their transaction. `nextTryAt` is also how long an attempt may take
 * until another process repeats it; null once no attempt follows.
 */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    id: text('id').primaryKey(),
    /** No references: a writer of events waits for no change of the project or webhook, and many rows are deleted step by step. */
    projectId: text('project_id').notNull(),
    webhookId: text('webhook_id').notNull(),
    eventId: text('event_id').notNull(),
    type: text('type').notNull(),
    at: moment('at').notNull(),
    data: jsonb('data').notNull(),
    createdAt: moment('created_at').notNull(),
    state: text('state').$type<WebhookDelivery['state']>().notNull(),
    /** That have ended. */
    attempts: integer('attempts').notNull().default(0),
    nextTryAt: moment('next_try_at'),
    lastTryAt: moment('last_try_at'),
    /** Of the last attempt. */
    url: text('url'),
    status: integer('status'),
    error: text('error'),
    durationMs: integer('duration_ms'),
    answer: text('answer'),
  },
  (table) => [
    index('webhook_deliveries_list').on(table.webhookId, table.createdAt, table.id),
    index('webhook_deliveries_due')
      .on(table.webhookId, table.nextTryAt)
      .where(sql`${table.nextTryAt} is not null`),
    index('webhook_deliveries_created').on(table.createdAt),
  ],
)
