import { bigint, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import type { AuditEntry } from '../../../../contract/accounts/audit'
import { moment } from './columns'

/** Partitioned by month and append-only: its definition is in migration 0001_rules.sql. */
export const auditEntries = pgTable('audit_entries', {
  chainId: text('chain_id').notNull(),
  sequence: bigint('sequence', { mode: 'number' }).notNull(),
  id: text('id').notNull(),
  occurredAt: moment('occurred_at').notNull(),
  action: text('action').notNull(),
  result: text('result').$type<AuditEntry['result']>().notNull(),
  actor: jsonb('actor').$type<AuditEntry['actor']>().notNull(),
  credential: jsonb('credential').$type<AuditEntry['credential']>().notNull(),
  sourceIp: text('source_ip'),
  userAgent: text('user_agent'),
  requestId: text('request_id').notNull(),
  projectId: text('project_id'),
  target: jsonb('target').$type<AuditEntry['target']>().notNull(),
  changes: jsonb('changes').$type<AuditEntry['changes']>().notNull(),
  reason: text('reason'),
  prevHash: text('prev_hash').notNull(),
  hash: text('hash').notNull(),
})
