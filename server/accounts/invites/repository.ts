import { and, count, eq, gt, inArray, lte, type SQL, sql } from 'drizzle-orm'
import type { InviteState } from '../../../contract/accounts/invites'
import { baseRoles, mayInviteAs } from '../../../contract/core/roles'
import { newRow, rowUpdate } from '../../core/database/row'
import { containsText } from '../../core/database/fold-case'
import type { Tx } from '../../core/database/tx'
import { type ListQuery, paging, limitTotal } from '../../core/http/paging'
import { invites } from '../schema/invites'
import { members, organizations } from '../schema/organizations'
import { users } from '../schema/people'
import { projectGuests, projects } from '../schema/projects'

export type InviteRow = typeof invites.$inferSelect

const chosen = { invite: invites, inviter: users, inviterRole: members.baseRole, organization: organizations, project: projects }

/** Invites with the facts that decide whether they are valid: who invited, what that person may do now, and the target. */
const select = (tx: Tx, where: SQL | undefined) =>
  tx
    .select(chosen)
    .from(invites)
    .innerJoin(users, eq(users.id, invites.invitedBy))
    .leftJoin(members, and(eq(members.organizationId, invites.organizationId), eq(members.userId, invites.invitedBy)))
    .leftJoin(organizations, eq(organizations.id, invites.organizationId))
    .leftJoin(projects, eq(projects.id, invites.projectId))
    .where(where)

export type InviteWithTarget = Awaited<ReturnType<typeof select>>[number]

/** The organization or personal project that an invite leads to. */
export type TargetKey = { kind: 'organization' | 'project'; id: string }

const inTarget = ({ kind, id }: TargetKey): SQL => eq(kind === 'organization' ? invites.organizationId : invites.projectId, id)

const columns = { email: invites.email, created_at: invites.createdAt }

/** One page of the invites of a target, newest first. */
export const listInvites = async (tx: Tx, target: TargetKey, query: ListQuery) => {
  const page = paging(query, columns, invites.id, '-created_at')
  const matching = and(inTarget(target), query.q ? containsText(invites.email, query.q) : undefined)
  const rows = await select(tx, and(matching, page.after))
    .orderBy(...page.order)
    .limit(page.take)
  const [total] = await tx.select({ n: count() }).from(invites).where(matching)
  const byEmail = query.sort?.endsWith('email')
  const cut = page.cut(rows, ({ invite }) => [byEmail ? invite.email : invite.createdAt.toISOString(), invite.id])
  return { found: cut.rows, next_cursor: cut.next_cursor, total: limitTotal(total?.n ?? 0) }
}

const find = async (tx: Tx, where: SQL | undefined): Promise<InviteWithTarget | undefined> => (await select(tx, where))[0]

export const findInvite = (tx: Tx, id: string): Promise<InviteWithTarget | undefined> => find(tx, eq(invites.id, id))

export const findInviteIn = (tx: Tx, target: TargetKey, id: string): Promise<InviteWithTarget | undefined> =>
  find(tx, and(eq(invites.id, id), inTarget(target)))

export const findInviteOfToken = (tx: Tx, tokenHash: string): Promise<InviteWithTarget | undefined> =>
  find(tx, eq(invites.tokenHash, tokenHash))

/** The invite of a link, if the other secret is the one that only its mail contains. */
export const findMailedInvite = (tx: Tx, tokenHash: string, mailHash: string): Promise<InviteWithTarget | undefined> =>
  find(tx, and(eq(invites.tokenHash, tokenHash), eq(invites.mailHash, mailHash)))

/** The invites of these addresses that are marked as open. */
export const listPendingInvites = (tx: Tx, target: TargetKey, emails: string[]): Promise<InviteWithTarget[]> =>
  select(tx, and(inTarget(target), eq(invites.state, 'pending'), inArray(invites.email, emails)))

/** The senders of the invites of a target that are marked as open and have not expired, with how many of each role they sent. */
export const listPendingSenders = (tx: Tx, target: TargetKey, now: Date) =>
  tx
    .select({
      organizationId: invites.organizationId,
      invitedBy: invites.invitedBy,
      role: invites.role,
      inviterRole: members.baseRole,
      ownerId: projects.ownerId,
      n: count(),
    })
    .from(invites)
    .leftJoin(members, and(eq(members.organizationId, invites.organizationId), eq(members.userId, invites.invitedBy)))
    .leftJoin(projects, eq(projects.id, invites.projectId))
    .where(and(inTarget(target), eq(invites.state, 'pending'), gt(invites.expiresAt, now)))
    .groupBy(invites.organizationId, invites.invitedBy, invites.role, members.baseRole, projects.ownerId)

const invitations = baseRoles.flatMap((inviter) =>
  baseRoles.filter((role) => mayInviteAs(inviter, role)).map((role) => sql`(${inviter}, ${role})`),
)

/** T-21: whether the sender of the invite `e` may still invite. */
export const isSentByInviter: SQL = sql`(case when e.organization_id is null
  then exists (select from ${projects} p where p.id = e.project_id and p.owner_id = e.invited_by)
  else exists (select from ${members} m where m.organization_id = e.organization_id and m.user_id = e.invited_by
    and (m.base_role, e.role) in (${sql.join(invitations, sql`, `)})) end)`

/** Which of these addresses are members or guests already. */
export const listKnownAddresses = async (tx: Tx, { kind, id }: TargetKey, emails: readonly string[]): Promise<Set<string>> => {
  const named = inArray(users.email, [...emails])
  const email = { email: users.email }
  const inside = (where: SQL) => and(named, where)
  const rows =
    kind === 'organization'
      ? await tx
          .select(email)
          .from(members)
          .innerJoin(users, eq(users.id, members.userId))
          .where(inside(eq(members.organizationId, id)))
      : [
          ...(await tx
            .select(email)
            .from(projectGuests)
            .innerJoin(users, eq(users.id, projectGuests.userId))
            .where(inside(eq(projectGuests.projectId, id)))),
          ...(await tx
            .select(email)
            .from(projects)
            .innerJoin(users, eq(users.id, projects.ownerId))
            .where(inside(eq(projects.id, id)))),
        ]
  return new Set(rows.map((row) => row.email))
}

export const lockInvite = async (tx: Tx, id: string): Promise<void> => {
  await tx.select({ id: invites.id }).from(invites).where(eq(invites.id, id)).for('update')
}

export const lockInviteIn = async (tx: Tx, target: TargetKey, id: string): Promise<void> => {
  const mine = and(eq(invites.id, id), inTarget(target))
  await tx.select({ id: invites.id }).from(invites).where(mine).for('update')
}

/** Locks expired invites that are still marked as open, without those that another process has locked. */
export const lockExpiredInvites = (tx: Tx, now: Date, most: number): Promise<InviteRow[]> =>
  tx
    .select()
    .from(invites)
    .where(and(eq(invites.state, 'pending'), lte(invites.expiresAt, now)))
    .limit(most)
    .for('update', { skipLocked: true })

type NewInvite = Omit<InviteRow, keyof ReturnType<typeof newRow> | 'organizationId' | 'projectId' | 'state' | 'sendCount'>

export const insertInvite = async (tx: Tx, { kind, id }: TargetKey, invite: NewInvite, now: Date): Promise<string> => {
  const row = {
    ...newRow(now),
    organizationId: kind === 'organization' ? id : null,
    projectId: kind === 'project' ? id : null,
    ...invite,
    state: 'pending' as const,
    sendCount: 1,
  }
  await tx.insert(invites).values(row)
  return row.id
}

export const updateInviteState = async (tx: Tx, id: string, state: InviteState, now: Date): Promise<void> => {
  await tx
    .update(invites)
    .set({ state, ...rowUpdate(now) })
    .where(eq(invites.id, id))
}

type Resent = Pick<InviteRow, 'tokenHash' | 'mailHash' | 'invitedBy' | 'expiresAt' | 'lastSentAt' | 'sendCount'>

export const updateResentInvite = async (tx: Tx, id: string, resent: Resent, now: Date): Promise<void> => {
  await tx
    .update(invites)
    .set({ ...resent, state: 'pending', ...rowUpdate(now) })
    .where(eq(invites.id, id))
}
