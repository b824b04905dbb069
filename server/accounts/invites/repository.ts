import { and, count, eq, ilike, type SQL } from 'drizzle-orm'
import type { InviteState } from '../../../contract/invites'
import { mayGrant, type BaseRole, rolePermissions } from '../../../contract/roles'
import { invites } from '../schema/invites'
import { members, organizations } from '../schema/organizations'
import { users } from '../schema/people'
import { projects } from '../schema/projects'
import type { Tx } from '../../core/database/tx'
import { containing, type ListQuery, paging, toldTotal } from '../../core/http/paging'
import { entityToJson, formatTimestamp } from '../../core/timestamps'
import { type InviteTarget, inTarget } from './target'

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

export type Found = Awaited<ReturnType<typeof select>>[number]

const isBase = (role: string): role is BaseRole => role in rolePermissions

/** T-21: whether the inviter may still invite now. */
const stillMay = ({ invite, inviterRole, project }: Found): boolean => {
  if (invite.organizationId === null) return project?.ownerId === invite.invitedBy
  if (inviterRole === null || !isBase(invite.role)) return false
  return rolePermissions[inviterRole].includes('organization:manage_members') && mayGrant(inviterRole, invite.role)
}

export const stateOf = (found: Found, now: Date): InviteState => {
  const { state, expiresAt } = found.invite
  if (state !== 'pending') return state
  if (!stillMay(found)) return 'revoked'
  return expiresAt <= now ? 'expired' : 'pending'
}

export const nameOf = ({ fullName, email }: { fullName: string; email: string }): string => fullName || email

export const inviteToJson = (found: Found, now: Date) => {
  const { invite, inviter } = found
  return {
    ...entityToJson(invite),
    email: invite.email,
    message: invite.message,
    state: stateOf(found, now),
    invited_by: { id: inviter.id, name: nameOf(inviter) },
    expires_at: formatTimestamp(invite.expiresAt),
    last_sent_at: formatTimestamp(invite.lastSentAt),
    send_count: invite.sendCount,
  }
}

const columns = { email: invites.email, created_at: invites.createdAt }

/** One page of the invites of a target, newest first. */
export const listInvites = async (tx: Tx, home: InviteTarget, query: ListQuery) => {
  const page = paging(query, columns, invites.id, '-created_at')
  const matching = and(inTarget(home), query.q ? ilike(invites.email, containing(query.q)) : undefined)
  const rows = await select(tx, and(matching, page.after))
    .orderBy(...page.order)
    .limit(page.take)
  const [total] = await tx.select({ n: count() }).from(invites).where(matching)
  const byEmail = query.sort?.endsWith('email')
  const cut = page.cut(rows, ({ invite }) => [byEmail ? invite.email : invite.createdAt.toISOString(), invite.id])
  return { found: cut.rows, next_cursor: cut.next_cursor, total: toldTotal(total?.n ?? 0) }
}

export const findInvite = async (tx: Tx, where: SQL | undefined): Promise<Found | undefined> => (await select(tx, where))[0]

export const findInvites = (tx: Tx, where: SQL | undefined): Promise<Found[]> => select(tx, where)
