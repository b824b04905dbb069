import type { AuditEntry } from '../../../contract/accounts/audit'
import type { auditEntries } from '../database/schema/audit-entries.partitioned'
import { formatTimestamp } from '../timestamps'

export type AuditRow = typeof auditEntries.$inferSelect

/** An entry as JSON without its hash: the hash is computed over exactly these fields. */
export const unhashed = (row: Omit<AuditRow, 'hash'>): Omit<AuditEntry, 'hash'> => ({
  id: row.id,
  occurred_at: formatTimestamp(row.occurredAt),
  occurred_at_ms: row.occurredAt.getTime(),
  sequence: row.sequence,
  action: row.action,
  result: row.result,
  actor: row.actor,
  credential: row.credential,
  source_ip: row.sourceIp,
  user_agent: row.userAgent,
  request_id: row.requestId,
  project_id: row.projectId,
  target: row.target,
  changes: row.changes,
  reason: row.reason,
  prev_hash: row.prevHash,
})

export const auditEntryToJson = (row: AuditRow): AuditEntry => ({ ...unhashed(row), hash: row.hash })
