import { and, count, eq, or, type SQL, sql } from 'drizzle-orm'
import { alias, unionAll } from 'drizzle-orm/pg-core'
import type { Guest } from '../../../contract/accounts/guests'
import type { ProjectRole } from '../../../contract/core/roles'
import { sessions, users } from '../schema/people'
import { projectGuests, projects } from '../schema/projects'
import { containsText } from '../../core/database/fold-case'
import type { Tx } from '../../core/database/tx'
import { type ListQuery, paging, limitTotal } from '../../core/http/paging'

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
export type GuestRow = Awaited<ReturnType<typeof select>>[number]

/** The owner of a project or one of its guests. */
export const findGuest = async (tx: Tx, projectId: string, userId: string): Promise<GuestRow | undefined> => {
  const [row] = await select(tx, projectId, eq(users.id, userId))
  return row
}

const columns = { name: sql<string>`lower(${users.fullName})` }

export const listGuests = async (tx: Tx, projectId: string, query: ListQuery) => {
  const page = paging(query, columns, users.id, 'name', { name: 'lower' })
  const { q } = query
  const matching = q ? or(containsText(users.fullName, q), containsText(users.email, q)) : undefined
  const found = await select(tx, projectId, and(matching, page.after))
    .orderBy(...page.order)
    .limit(page.take)
  const stays = staysIn(tx, projectId)
  const [total] = await tx.select({ n: count() }).from(stays).innerJoin(users, eq(users.id, stays.userId)).where(matching)
  const { rows, next_cursor } = page.cut(found, ({ user }) => [user.fullName, user.id])
  return { rows, next_cursor, total: limitTotal(total?.n ?? 0) }
}

export const countGuests = async (tx: Tx, projectId: string): Promise<number> => {
  const [counted] = await tx.select({ n: count() }).from(projectGuests).where(eq(projectGuests.projectId, projectId))
  return counted?.n ?? 0
}

/** Locks the project, so that changes of its guests run one after another. */
export const lockGuests = async (tx: Tx, projectId: string): Promise<void> => {
  await tx.select({ id: projects.id }).from(projects).where(eq(projects.id, projectId)).for('update')
}

/** Does nothing if the person is a guest already. */
export const insertGuest = async (tx: Tx, row: typeof projectGuests.$inferInsert): Promise<void> => {
  await tx.insert(projectGuests).values(row).onConflictDoNothing()
}

const stay = (projectId: string, userId: string) => and(eq(projectGuests.projectId, projectId), eq(projectGuests.userId, userId))

export const updateGuestRole = async (tx: Tx, projectId: string, userId: string, role: ProjectRole): Promise<void> => {
  await tx.update(projectGuests).set({ role }).where(stay(projectId, userId))
}

export const deleteGuest = async (tx: Tx, projectId: string, userId: string): Promise<void> => {
  await tx.delete(projectGuests).where(stay(projectId, userId))
}
