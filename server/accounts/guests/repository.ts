import { and, count, eq, ilike, or, type SQL, sql } from 'drizzle-orm'
import { alias, unionAll } from 'drizzle-orm/pg-core'
import type { Guest } from '../../../contract/guests'
import { sessions, users } from '../schema/people'
import { projectGuests, projects } from '../schema/projects'
import type { Tx } from '../../core/database/tx'
import { containing, type ListQuery, paging, toldTotal } from '../../core/http/paging'
import { formatTimestamp, formatTimestampOrNull } from '../../core/timestamps'

const inviters = alias(users, 'inviters')

/** The owner and the guests of a project, as one list. */
const staysIn = (tx: Tx, projectId: string) =>
  unionAll(
    tx
      .select({
        userId: sql<string>`${projects.ownerId}`.as('user_id'),
        role: sql<Guest['base_role']>`'owner'`.as('role'),
        joinedAt: projects.createdAt,
        invitedBy: sql<string | null>`null::text`.as('invited_by'),
      })
      .from(projects)
      .where(eq(projects.id, projectId)),
    tx
      .select({
        userId: sql<string>`${projectGuests.userId}`.as('user_id'),
        role: sql<Guest['base_role']>`${projectGuests.role}`.as('role'),
        joinedAt: projectGuests.joinedAt,
        invitedBy: sql<string | null>`${projectGuests.invitedBy}`.as('invited_by'),
      })
      .from(projectGuests)
      .where(eq(projectGuests.projectId, projectId)),
  ).as('stays')

const lastActive = sql<string | null>`(
  select to_char(max(s.last_used_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') from ${sessions} s where s.user_id = ${users.id}
)`

const select = (tx: Tx, projectId: string, where?: SQL) => {
  const stays = staysIn(tx, projectId)
  const stay = { role: stays.role, joinedAt: stays.joinedAt }
  return tx
    .select({ stay, user: users, inviter: inviters, lastActive })
    .from(stays)
    .innerJoin(users, eq(users.id, stays.userId))
    .leftJoin(inviters, eq(inviters.id, stays.invitedBy))
    .where(where)
}
type Row = Awaited<ReturnType<typeof select>>[number]

const guestToJson = ({ stay, user, inviter, lastActive }: Row): Guest => ({
  user: { id: user.id, name: user.fullName, email: user.email, image_url: user.imageUrl },
  base_role: stay.role,
  joined_at: formatTimestamp(stay.joinedAt),
  last_active_at: formatTimestampOrNull(lastActive === null ? null : new Date(lastActive)),
  mfa_enabled: user.mfaEnabled,
  invited_by: inviter && { id: inviter.id, name: inviter.fullName || inviter.email },
})

export const guestOf = async (tx: Tx, projectId: string, userId: string): Promise<Guest | undefined> => {
  const [row] = await select(tx, projectId, eq(users.id, userId))
  return row && guestToJson(row)
}

const columns = { name: sql<string>`lower(${users.fullName})` }

export const listGuests = async (tx: Tx, projectId: string, query: ListQuery) => {
  const page = paging(query, columns, users.id, 'name')
  const q = query.q ? containing(query.q) : undefined
  const matching = q === undefined ? undefined : or(ilike(users.fullName, q), ilike(users.email, q))
  const rows = await select(tx, projectId, and(matching, page.after))
    .orderBy(...page.order)
    .limit(page.take)
  const stays = staysIn(tx, projectId)
  const [total] = await tx.select({ n: count() }).from(stays).innerJoin(users, eq(users.id, stays.userId)).where(matching)
  const cut = page.cut(rows, ({ user }) => [user.fullName.toLowerCase(), user.id])
  return { members: cut.rows.map(guestToJson), next_cursor: cut.next_cursor, total: toldTotal(total?.n ?? 0) }
}
