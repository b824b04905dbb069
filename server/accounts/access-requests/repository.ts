import { and, count, eq, type SQL } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { AccessRequest } from '../../../contract/accounts/access-requests'
import { newRow, rowUpdate } from '../../core/database/row'
import type { Tx } from '../../core/database/tx'
import { type ListQuery, paging, limitTotal } from '../../core/http/paging'
import { accessRequests } from '../schema/invites'
import { members } from '../schema/organizations'
import { users } from '../schema/people'

export type AccessRequestRow = typeof accessRequests.$inferSelect

const deciders = alias(users, 'deciders')

const isOf = (organizationId: string, id: string) =>
  and(eq(accessRequests.id, id), eq(accessRequests.organizationId, organizationId))

/** Only requests of people who are still members. */
const select = (tx: Tx, where: SQL | undefined) =>
  tx
    .select({ request: accessRequests, user: users, decider: deciders })
    .from(accessRequests)
    .innerJoin(users, eq(users.id, accessRequests.userId))
    .innerJoin(members, and(eq(members.organizationId, accessRequests.organizationId), eq(members.userId, accessRequests.userId)))
    .leftJoin(deciders, eq(deciders.id, accessRequests.decidedBy))
    .where(where)

/** A request with the person who asks and the one who decided. */
export type AskedRequest = Awaited<ReturnType<typeof select>>[number]

export const findRequest = async (tx: Tx, organizationId: string, id: string): Promise<AskedRequest | undefined> => {
  const [row] = await select(tx, isOf(organizationId, id))
  return row
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
  const found = await select(tx, and(matching, page.after))
    .orderBy(...page.order)
    .limit(page.take)
  const [total] = await tx
    .select({ n: count() })
    .from(accessRequests)
    .innerJoin(members, and(eq(members.organizationId, accessRequests.organizationId), eq(members.userId, accessRequests.userId)))
    .where(matching)
  const { rows, next_cursor } = page.cut(found, ({ request }) => [request.createdAt.toISOString(), request.id])
  return { rows, next_cursor, total: limitTotal(total?.n ?? 0) }
}

export const lockRequest = async (tx: Tx, organizationId: string, id: string): Promise<AccessRequestRow | undefined> => {
  const [row] = await tx.select().from(accessRequests).where(isOf(organizationId, id)).for('update')
  return row
}

type NewRequest = Pick<AccessRequestRow, 'organizationId' | 'userId' | 'permission' | 'projectId' | 'reason'>

/** Undefined if the person has asked for the same before and nobody has decided. */
export const insertRequest = async (tx: Tx, request: NewRequest, now: Date): Promise<AccessRequestRow | undefined> => {
  const row = { ...newRow(now), ...request, state: 'open' as const, decidedBy: null, decidedAt: null }
  const [inserted] = await tx.insert(accessRequests).values(row).onConflictDoNothing().returning()
  return inserted
}

type Decision = Pick<AccessRequestRow, 'state' | 'decidedBy'>

export const updateDecision = async (tx: Tx, id: string, decision: Decision, now: Date): Promise<void> => {
  await tx
    .update(accessRequests)
    .set({ ...decision, decidedAt: now, ...rowUpdate(now) })
    .where(eq(accessRequests.id, id))
}
