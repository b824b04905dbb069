import { and, desc, eq } from 'drizzle-orm'
import { auditCounts, type AuditField } from '../../core/database/schema/audit'
import type { Tx } from '../../core/database/tx'
import type { LogKey } from './repository'

const ofField = ({ chainId, projectId }: LogKey, field: AuditField) =>
  and(eq(auditCounts.chainId, chainId), eq(auditCounts.projectId, projectId ?? ''), eq(auditCounts.field, field))

/** How many entries of a log have each value of a field, the most frequent first, and the newest kind and name of actors. */
export const listCounts = (tx: Tx, log: LogKey, field: AuditField, most = 1000) =>
  tx
    .select({ value: auditCounts.value, count: auditCounts.n, kind: auditCounts.kind, name: auditCounts.name })
    .from(auditCounts)
    .where(ofField(log, field))
    .orderBy(desc(auditCounts.n), desc(auditCounts.newest))
    .limit(most)

/** How many entries of a log have this value. */
export const findCount = async (tx: Tx, log: LogKey, field: AuditField, value: string): Promise<number> => {
  const [found] = await tx
    .select({ n: auditCounts.n })
    .from(auditCounts)
    .where(and(ofField(log, field), eq(auditCounts.value, value)))
  return found?.n ?? 0
}
