import { and, asc, count, eq, gt, inArray, isNotNull, isNull, ne, or, sql } from 'drizzle-orm'
import type { BaseRole } from '../../../contract/core/roles'
import { rowUpdate } from '../../core/database/row'
import type { Tx } from '../../core/database/tx'
import { accessTokens } from '../schema/access-tokens'
import { subscriptions } from '../schema/billing'
import { invites } from '../schema/invites'
import { members, organizations } from '../schema/organizations'
import { users } from '../schema/people'
import { projects } from '../schema/projects'
import type { UserRow } from '../users/repository'

/** The organizations that a person belongs to or has created, in the order in which they are locked. */
export const listTouchedOrganizations = async (tx: Tx, userId: string): Promise<string[]> => {
  const joined = tx.select({ id: members.organizationId }).from(members).where(eq(members.userId, userId))
  const rows = await tx
    .select({ id: organizations.id })
    .from(organizations)
    .where(or(eq(organizations.createdBy, userId), inArray(organizations.id, joined)))
    .orderBy(asc(organizations.id))
  return rows.map(({ id }) => id)
}

/** Waits for requests that add something to the person, and keeps others from adding more. */
export const lockUserForDeletion = async (tx: Tx, id: string): Promise<UserRow | undefined> => {
  const [user] = await tx.select().from(users).where(eq(users.id, id)).for('update')
  return user
}

export type OwnMembership = { id: string; publicId: string; name: string; role: BaseRole; owners: number }

/** The memberships of a person, with the number of owners of each organization. */
export const listOwnMemberships = (tx: Tx, userId: string): Promise<OwnMembership[]> =>
  tx
    .select({
      id: organizations.id,
      publicId: organizations.publicId,
      name: organizations.name,
      role: members.baseRole,
      owners: sql<number>`(
        select count(*)::int from ${members} m where m.organization_id = ${organizations.id} and m.base_role = 'owner'
      )`,
    })
    .from(members)
    .innerJoin(organizations, eq(organizations.id, members.organizationId))
    .where(eq(members.userId, userId))
    .orderBy(asc(organizations.id))

/** Subscriptions of a person that have not ended; `goesOn`: they will not end by themselves. */
export const listOpenSubscriptions = async (tx: Tx, userId: string): Promise<{ goesOn: boolean }[]> => {
  const rows = await tx
    .select({ ends: subscriptions.cancelAtPeriodEnd })
    .from(subscriptions)
    .where(and(eq(subscriptions.userId, userId), ne(subscriptions.state, 'canceled')))
  return rows.map(({ ends }) => ({ goesOn: !ends }))
}

/** The number of access tokens of a person that work now, by the organization of their project; null: of a person. */
export const countWorkingTokens = (tx: Tx, userId: string, now: Date): Promise<{ organizationId: string | null; n: number }[]> =>
  tx
    .select({ organizationId: projects.organizationId, n: count() })
    .from(accessTokens)
    .innerJoin(projects, eq(projects.id, accessTokens.projectId))
    .where(
      and(
        eq(accessTokens.makerId, userId),
        isNull(accessTokens.revokedAt),
        or(isNull(accessTokens.expiresAt), gt(accessTokens.expiresAt, now)),
      ),
    )
    .groupBy(projects.organizationId)

/** The organizations that a person has created pass to the owner who has been there longest; their plans stay. */
export const handOverCreated = async (tx: Tx, userId: string, now: Date): Promise<void> => {
  const longest = sql<string>`(
    select m.user_id from ${members} m
    where m.organization_id = ${organizations.id} and m.base_role = 'owner' and m.user_id <> ${userId}
    order by m.joined_at, m.user_id limit 1
  )`
  await tx
    .update(organizations)
    .set({ createdBy: longest, ...rowUpdate(now) })
    .where(and(eq(organizations.createdBy, userId), isNotNull(longest)))
}

/** Invites to an address that were answered. Open ones belong to their organization, and are for whoever has the address. */
export const deleteAnsweredInvites = async (tx: Tx, email: string): Promise<void> => {
  await tx.delete(invites).where(and(eq(invites.email, email), ne(invites.state, 'pending')))
}

/** With all that belongs to the person alone. */
export const deleteUser = async (tx: Tx, id: string): Promise<void> => {
  await tx.delete(users).where(eq(users.id, id))
}
