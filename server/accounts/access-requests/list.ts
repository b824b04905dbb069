import { and, count, eq, type SQL } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { AccessRequest } from '../../../contract/access-requests'
import { accessRequests } from '../schema/invites'
import { members } from '../schema/organizations'
import { users } from '../schema/people'
import type { Tx } from '../../core/database/tx'
import { type ListQuery, paging, toldTotal } from '../../core/http/paging'
import { entityToJson, formatTimestampOrNull } from '../../core/timestamps'

const deciders = alias(users, 'deciders')

/** Only requests of people who are still members. */
const select = (tx: Tx, where: SQL | undefined) =>
  tx
    .select({ request: accessRequests, user: users, decider: deciders })
    .from(accessRequests)
    .innerJoin(users, eq(users.id, accessRequests.userId))
    .innerJoin(members, and(eq(members.organizationId, accessRequests.organizationId), eq(members.userId, accessRequests.userId)))
    .leftJoin(deciders, eq(deciders.id, accessRequests.decidedBy))
    .where(where)
type Row = Awaited<ReturnType<typeof select>>[number]

const accessRequestToJson = ({ request, user, decider }: Row): AccessRequest => ({
  ...entityToJson(request),
  user: { id: user.id, name: user.fullName, email: user.email },
  permission: request.permission,
  project_id: request.projectId,
  reason: request.reason,
  state: request.state,
  decided_by: decider && { id: decider.id, name: decider.fullName || decider.email },
  decided_at: formatTimestampOrNull(request.decidedAt),
})

export const findRequest = async (tx: Tx, where: SQL | undefined): Promise<AccessRequest | undefined> => {
  const [row] = await select(tx, where)
  return row && accessRequestToJson(row)
}

type Query = ListQuery & { state?: AccessRequest['state'] }

/** Requests of an organization; of one person only, if `userId` is given. */
export const listRequests = async (tx: Tx, organizationId: string, userId: string | undefined, query: Query) => {
  const page = paging(query, { created_at: accessRequests.createdAt }, accessRequests.id, '-created_at')
  const matching = and(
    eq(accessRequests.organizationId, organizationId),
    userId === undefined ? undefined : eq(accessRequests.userId, userId),
    query.state && eq(accessRequests.state, query.state),
  )
  const rows = await select(tx, and(matching, page.after))
    .orderBy(...page.order)
    .limit(page.take)
  const [total] = await tx
    .select({ n: count() })
    .from(accessRequests)
    .innerJoin(members, and(eq(members.organizationId, accessRequests.organizationId), eq(members.userId, accessRequests.userId)))
    .where(matching)
  const cut = page.cut(rows, ({ request }) => [request.createdAt.toISOString(), request.id])
  return { access_requests: cut.rows.map(accessRequestToJson), next_cursor: cut.next_cursor, total: toldTotal(total?.n ?? 0) }
}
