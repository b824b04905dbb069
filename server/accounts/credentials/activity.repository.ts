import { and, eq, inArray, isNull } from 'drizzle-orm'
import { type accountEvents, accountActions } from '../../../contract/accounts/account-activity'
import type { QueryOf } from '../../../contract/core/endpoint'
import { auditEntries } from '../../core/database/schema/audit-entries.partitioned'
import type { Tx } from '../../core/database/tx'
import { paging } from '../../core/http/paging'

/** A page of the entries of a person's audit chain that concern the account itself, without those of personal projects. */
export const listAccountEntries = async (tx: Tx, userId: string, query: QueryOf<typeof accountEvents>) => {
  const { sequence, chainId, projectId, action } = auditEntries
  const page = paging(query, { sequence }, auditEntries.id, '-sequence')
  const rows = await tx
    .select()
    .from(auditEntries)
    .where(and(eq(chainId, userId), isNull(projectId), inArray(action, [...accountActions]), page.after))
    .orderBy(...page.order)
    .limit(page.take)
  return page.cut(rows, (row) => [row.sequence, row.id])
}
