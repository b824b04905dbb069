import { type AccountEvent, accountEvents } from '../../../contract/accounts/account-activity'
import type { AuditRow } from '../../core/audit/to-json'
import type { Api } from '../../core/http/api'
import { route } from '../../core/http/route'
import { formatTimestamp } from '../../core/timestamps'
import { listAccountEntries } from './activity.repository'

const eventToJson = (row: AuditRow, sessionId: string): AccountEvent => ({
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

export const activityRoutes = (api: Api): void => {
  route(api, accountEvents, async ({ tx, user, session, query }) => {
    const { rows, next_cursor } = await listAccountEntries(tx, user.id, query)
    return { events: rows.map((row) => eventToJson(row, session.id)), next_cursor }
  })
}
