import { sql } from 'drizzle-orm'
import { index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { moment } from './columns'

/**
 * The answer to a POST with an Idempotency-Key, stored in the transaction of the change and encrypted with a secret that only
 * the caller has.
 */
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

/** Requests counted in windows of one minute; unlogged, since a crash may lose them. */
export const rateWindows = pgTable('rate_windows', {
  key: text('key').primaryKey(),
  startedAt: moment('started_at').notNull(),
  count: integer('count').notNull(),
})

/** The last reading of the clock of the database before a deletion by age: one row, of an installation that is in use. */
export const clockReadings = pgTable('clock_readings', {
  id: integer('id').primaryKey(),
  readAt: moment('read_at').notNull(),
  /** The last reading that was believed. */
  trustedAt: moment('trusted_at').notNull(),
  /** The first reading after a jump; null while the clock is believed. */
  jumpedAt: moment('jumped_at'),
})
export type ClockReading = Omit<typeof clockReadings.$inferSelect, 'id'>

/** Failed sign-ins by pair of account and address; the account is hashed. */
export const signInFailures = pgTable(
  'sign_in_failures',
  { id: text('id').primaryKey(), pair: text('pair').notNull(), failedAt: moment('failed_at').notNull() },
  (table) => [index('sign_in_failures_pair').on(table.pair, table.failedAt)],
)

/**
 * Mail is stored with the change that causes it and sent afterwards. Links are live secrets: the text is emptied once it was
 * sent or, where `/outbox` shows it instead, once its link was used or after a day.
 */
export const mails = pgTable(
  'mails',
  {
    id: text('id').primaryKey(),
    to: text('to').notNull(),
    /**
     * The mailbox that the limit counts: the address in lower case, without the part after a `+`. Null for mail without a
     * limit.
     */
    recipient: text('recipient'),
    subject: text('subject').notNull(),
    text: text('text').notNull(),
    /** SHA-256 of the secret in the link. */
    linkHash: text('link_hash'),
    createdAt: moment('created_at').notNull(),
    /** Null once it was sent or given up. */
    nextTryAt: moment('next_try_at'),
    sentAt: moment('sent_at'),
  },
  (table) => [
    index('mails_recipient').on(table.recipient, table.createdAt),
    index('mails_link').on(table.linkHash),
    index('mails_created').on(table.createdAt),
    index('mails_due')
      .on(table.nextTryAt)
      .where(sql`${table.nextTryAt} is not null`),
  ],
)

/** Keys that only the server's processes share, created at first use. */
export const secrets = pgTable('secrets', { name: text('name').primaryKey(), value: text('value').notNull() })
