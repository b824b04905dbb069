import { and, count, eq, ilike, or, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Member } from '../../../contract/members'
import type { BaseRole } from '../../../contract/roles'
import { members } from '../schema/organizations'
import { sessions, users } from '../schema/people'
import type { Tx } from '../../core/database/tx'
import { containing, type ListQuery, paging, toldTotal } from '../../core/http/paging'
import { formatTimestamp, formatTimestampOrNull } from '../../core/timestamps'

const lastActive = sql<string | null>`(
  select to_char(max(s.last_used_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') from ${sessions} s where s.user_id = ${users.id}
)`

const inviters = alias(users, 'inviters')
const chosen = { member: members, user: users, inviter: inviters, lastActive }
type Person = typeof users.$inferSelect
type Row = { member: typeof members.$inferSelect; user: Person; inviter: Person | null; lastActive: string | null }

const memberToJson = ({ member, user, inviter, lastActive }: Row): Member => ({
  user: { id: user.id, name: user.fullName, email: user.email, image_url: user.imageUrl },
  base_role: member.baseRole,
  joined_at: formatTimestamp(member.joinedAt),
  last_active_at: formatTimestampOrNull(lastActive === null ? null : new Date(lastActive)),
  mfa_enabled: user.mfaEnabled,
  invited_by: inviter && { id: inviter.id, name: inviter.fullName || inviter.email },
})

const select = (tx: Tx, where: SQL | undefined) =>
  tx
    .select(chosen)
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .leftJoin(inviters, eq(inviters.id, members.invitedBy))
    .where(where)

export const memberOf = async (tx: Tx, organizationId: string, userId: string): Promise<Member | undefined> => {
  const [row] = await select(tx, and(eq(members.organizationId, organizationId), eq(members.userId, userId)))
  return row && memberToJson(row)
}

const name = sql<string>`lower(${users.fullName})`
const columns = { name, joined_at: members.joinedAt }

export const listMembers = async (tx: Tx, organizationId: string, query: ListQuery & { role?: BaseRole }) => {
  const page = paging(query, columns, users.id, 'name')
  const q = query.q ? containing(query.q) : undefined
  const matching = and(
    eq(members.organizationId, organizationId),
    query.role && eq(members.baseRole, query.role),
    q === undefined ? undefined : or(ilike(users.fullName, q), ilike(users.email, q)),
  )
  const rows = await select(tx, and(matching, page.after))
    .orderBy(...page.order)
    .limit(page.take)
  const [total] = await tx.select({ n: count() }).from(members).innerJoin(users, eq(users.id, members.userId)).where(matching)
  const byTime = query.sort?.endsWith('joined_at')
  const cut = page.cut(rows, ({ member, user }) => [
    byTime ? member.joinedAt.toISOString() : user.fullName.toLowerCase(),
    user.id,
  ])
  return { members: cut.rows.map(memberToJson), next_cursor: cut.next_cursor, total: toldTotal(total?.n ?? 0) }
}
