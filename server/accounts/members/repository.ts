import { and, count, eq, or, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { BaseRole } from '../../../contract/core/roles'
import { containsText } from '../../core/database/fold-case'
import type { Tx } from '../../core/database/tx'
import { type ListQuery, paging, limitTotal } from '../../core/http/paging'
import { members, organizations } from '../schema/organizations'
import { sessions, users } from '../schema/people'

export type MembershipRow = typeof members.$inferSelect

const lastActive = sql<string | null>`(
  select to_char(max(s.last_used_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') from ${sessions} s where s.user_id = ${users.id}
)`
const inviters = alias(users, 'inviters')

const select = (tx: Tx, where: SQL | undefined) =>
  tx
    .select({ member: members, user: users, inviter: inviters, lastActive })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .leftJoin(inviters, eq(inviters.id, members.invitedBy))
    .where(where)

/** A membership with the person, who invited them, and the last use of their sessions. */
export type MemberRow = Awaited<ReturnType<typeof select>>[number]

const membership = (organizationId: string, userId: string) =>
  and(eq(members.organizationId, organizationId), eq(members.userId, userId))

export const findMember = async (tx: Tx, organizationId: string, userId: string): Promise<MemberRow | undefined> => {
  const [row] = await select(tx, membership(organizationId, userId))
  return row
}

export const findMembership = async (tx: Tx, organizationId: string, userId: string): Promise<MembershipRow | undefined> => {
  const [row] = await tx.select().from(members).where(membership(organizationId, userId))
  return row
}

export const listMemberships = (tx: Tx, organizationId: string): Promise<MembershipRow[]> =>
  tx.select().from(members).where(eq(members.organizationId, organizationId))

/** The role and address of every member. */
export const listMemberAddresses = (tx: Tx, organizationId: string) =>
  tx
    .select({ role: members.baseRole, email: users.email })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(eq(members.organizationId, organizationId))

const columns = { name: sql<string>`lower(${users.fullName})`, joined_at: members.joinedAt }

export const listMembers = async (tx: Tx, organizationId: string, query: ListQuery & { role?: BaseRole }) => {
  const page = paging(query, columns, users.id, 'name', { name: 'lower' })
  const { q } = query
  const matching = and(
    eq(members.organizationId, organizationId),
    query.role && eq(members.baseRole, query.role),
    q ? or(containsText(users.fullName, q), containsText(users.email, q)) : undefined,
  )
  const found = await select(tx, and(matching, page.after))
    .orderBy(...page.order)
    .limit(page.take)
  const [total] = await tx.select({ n: count() }).from(members).innerJoin(users, eq(users.id, members.userId)).where(matching)
  const byTime = query.sort?.endsWith('joined_at')
  const { rows, next_cursor } = page.cut(found, ({ member, user }) => [
    byTime ? member.joinedAt.toISOString() : user.fullName,
    user.id,
  ])
  return { rows, next_cursor, total: limitTotal(total?.n ?? 0) }
}

export const countMembers = async (tx: Tx, organizationId: string): Promise<number> => {
  const [counted] = await tx.select({ n: count() }).from(members).where(eq(members.organizationId, organizationId))
  return counted?.n ?? 0
}

export const countOwners = async (tx: Tx, organizationId: string): Promise<number> => {
  const owners = and(eq(members.organizationId, organizationId), eq(members.baseRole, 'owner'))
  const [counted] = await tx.select({ n: count() }).from(members).where(owners)
  return counted?.n ?? 0
}

/** Locks the organization, so that changes of its members run one after another. */
export const lockMembers = async (tx: Tx, organizationId: string): Promise<void> => {
  await tx.select({ id: organizations.id }).from(organizations).where(eq(organizations.id, organizationId)).for('update')
}

export const insertMember = async (tx: Tx, row: typeof members.$inferInsert): Promise<void> => {
  await tx.insert(members).values(row)
}

export const updateMemberRole = async (tx: Tx, organizationId: string, userId: string, baseRole: BaseRole): Promise<void> => {
  await tx.update(members).set({ baseRole }).where(membership(organizationId, userId))
}

/** Sets the role that a group gave; it ends with the group. */
export const updateGroupRole = async (tx: Tx, organizationId: string, userId: string, baseRole: BaseRole): Promise<void> => {
  await tx.update(members).set({ baseRole, byGroup: true }).where(membership(organizationId, userId))
}

export const deleteMember = async (tx: Tx, organizationId: string, userId: string): Promise<void> => {
  await tx.delete(members).where(membership(organizationId, userId))
}
