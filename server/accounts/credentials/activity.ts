import { and, eq, inArray, isNull } from 'drizzle-orm'
import { type AccountEvent, accountActions, accountEvents } from '../../../contract/account-activity'
import { auditEntries } from '../../core/database/schema/audit-entries.partitioned'
import type { Api } from '../../core/http/api'
import { paging } from '../../core/http/paging'
import { route } from '../../core/http/route'
import { formatTimestamp } from '../../core/timestamps'

type Row = typeof auditEntries.$inferSelect

const eventToJson = (row: Row, sessionId: string): AccountEvent => ({
  id: row.id,
  occurred_at: formatTimestamp(row.occurredAt),
  action: row.action,
  result: row.result,
  ip: row.sourceIp,
  user_agent: row.userAgent,
  current: row.credential.id === sessionId || (row.action === 'session.create' && row.target.id === sessionId),
  changed: row.changes.map(({ field }) => field),
  reason: row.reason,
})

/** The entries of a person's audit chain that concern the account itself, without those of personal projects. */
export const activityRoutes = (api: Api): void => {
  route(api, accountEvents, async ({ tx, user, query }) => {
    const { sequence, chainId, projectId, action } = auditEntries
    const page = paging(query, { sequence }, auditEntries.id, '-sequence')
    const rows = await tx
      .select()
      .from(auditEntries)
      .where(and(eq(chainId, user.id), isNull(projectId), inArray(action, [...accountActions]), page.after))
      .orderBy(...page.order)
      .limit(page.take)
    const cut = page.cut(rows, (row) => [row.sequence, row.id])
    return { events: cut.rows.map((row) => eventToJson(row, user.sessionId)), next_cursor: cut.next_cursor }
  })
}
