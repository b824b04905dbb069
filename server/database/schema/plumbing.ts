import { index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { moment } from './columns'

/** product.md 4.1: the answer to a POST with an Idempotency-Key, written with the change itself, sealed with what only the caller holds. */
export const idempotentAnswers = pgTable(
  'idempotent_answers',
  {
    actor: text('actor').notNull(),
    key: text('key').notNull(),
    requestHash: text('request_hash').notNull(),
    status: integer('status').notNull(),
    sealed: text('sealed').notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.actor, table.key] }), index('idempotent_answers_expiry').on(table.expiresAt)],
)

/** Requests counted in windows of one minute; unlogged, since a crash may well forget them. */
export const rateWindows = pgTable('rate_windows', {
  key: text('key').primaryKey(),
  startedAt: moment('started_at').notNull(),
  count: integer('count').notNull(),
})

/** Failed sign-ins by pair of account and address; the account is hashed. */
export const signInFailures = pgTable(
  'sign_in_failures',
  { id: text('id').primaryKey(), pair: text('pair').notNull(), failedAt: moment('failed_at').notNull() },
  (table) => [index('sign_in_failures_pair').on(table.pair, table.failedAt)],
)

/** Mail is written with the change that causes it and sent after it. Locally `/outbox` shows it. */
export const mails = pgTable('mails', {
  id: text('id').primaryKey(),
  to: text('to').notNull(),
  subject: text('subject').notNull(),
  text: text('text').notNull(),
  createdAt: moment('created_at').notNull(),
  sentAt: moment('sent_at'),
})
