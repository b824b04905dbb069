import { and, count, eq } from 'drizzle-orm'
import { create } from 'superstruct'
import type { Plan } from '../../../contract/plans'
import { BaseRole, ProjectRole } from '../../../contract/roles'
import { invites } from '../schema/invites'
import { members } from '../schema/organizations'
import { users } from '../schema/people'
import { projectGuests } from '../schema/projects'
import type { Tx } from '../../core/database/tx'
import type { AuditEvent } from '../../core/http/audit'
import { rowUpdate } from '../../core/database/row'
import { requirePlanCapacity } from '../plan-limit'
import { notFound, refuse } from '../../core/http/refuse'
import { emptyMails } from '../../core/mail/queue-mail'
import { hashOf } from '../../core/tokens/token'
import { lockTarget } from './target'
import { findInvite, type Found, stateOf } from './repository'

type Person = { id: string; email: string }
type Answer = { now: Date; token: string; person: Person }

/** "i…@example.com": enough for the holder of the link to recognize their own address. */
export const maskEmail = (email: string): string => `${[...email][0] ?? ''}…${email.slice(email.lastIndexOf('@'))}`

export const inviteOf = async (tx: Tx, token: string): Promise<Found> =>
  (await findInvite(tx, eq(invites.tokenHash, hashOf(token)))) ?? notFound()

/** The open invite whose mail the reader has: this proves that they own its address. */
export const mailedInvite = async (tx: Tx, token: string, proof: string, now: Date): Promise<Found | undefined> => {
  const mine = and(eq(invites.tokenHash, hashOf(token)), eq(invites.mailHash, hashOf(proof)))
  const found = await findInvite(tx, mine)
  return found && stateOf(found, now) === 'pending' ? found : undefined
}

export const isFor = ({ invite }: Found, { email }: Person): boolean => invite.email === email.toLowerCase()

const gone = (): never => refuse(409, 'invite_gone', { message: 'This invite can no longer be answered' })

const homeOf = ({ invite: { organizationId, projectId } }: Found) =>
  organizationId === null
    ? { kind: 'project' as const, id: projectId ?? '' }
    : { kind: 'organization' as const, id: organizationId }

/**
 * T-21: the current invite under the lock of its target: open, valid, sent by someone who may still invite, and to this person.
 */
const open = async (tx: Tx, { now, token, person }: Answer): Promise<Found> => {
  const before = await inviteOf(tx, token)
  await lockTarget(tx, homeOf(before))
  await tx.select({ id: invites.id }).from(invites).where(eq(invites.id, before.invite.id)).for('update')
  const found = await inviteOf(tx, token)
  if (!isFor(found, person))
    refuse(409, 'wrong_account', {
      message: 'This invite went to another address',
      about: { email: maskEmail(found.invite.email) },
    })
  if (stateOf(found, now) !== 'pending') gone()
  return found
}

const close = async (tx: Tx, { invite }: Found, state: 'accepted' | 'declined', now: Date) => {
  await emptyMails(tx, [invite.tokenHash])
  await tx
    .update(invites)
    .set({ state, ...rowUpdate(now) })
    .where(eq(invites.id, invite.id))
}

/** The audit entry of an answer. */
const deedOf = ({ invite, project }: Found, changes: AuditEvent['changes'] = []): AuditEvent => ({
  target: { kind: 'invite', id: invite.id, name: invite.email },
  changes,
  ...(invite.organizationId === null
    ? { userId: project?.ownerId ?? '', projectId: invite.projectId ?? '' }
    : { organizationId: invite.organizationId }),
})

/** The limits are those of the plan of the organization or of the project's owner. */
const planOf = async (tx: Tx, { organization, project }: Found): Promise<Plan> => {
  if (organization) return organization.plan
  const [owner] = await tx
    .select({ plan: users.pricingPlan })
    .from(users)
    .where(eq(users.id, project?.ownerId ?? ''))
  return owner?.plan ?? 'developer'
}

const join = async (tx: Tx, found: Found, person: Person, now: Date) => {
  const { organizationId, projectId, role, invitedBy } = found.invite
  const plan = await planOf(tx, found)
  const stay = { userId: person.id, joinedAt: now, invitedBy }
  if (organizationId !== null) {
    const here = eq(members.organizationId, organizationId)
    const [own] = await tx
      .select()
      .from(members)
      .where(and(here, eq(members.userId, person.id)))
    if (own) return
    const [taken] = await tx.select({ n: count() }).from(members).where(here)
    requirePlanCapacity(plan, 'members', taken?.n ?? 0)
    await tx.insert(members).values({ ...stay, organizationId, baseRole: create(role, BaseRole) })
    return
  }
  const here = eq(projectGuests.projectId, projectId ?? '')
  const [taken] = await tx.select({ n: count() }).from(projectGuests).where(here)
  requirePlanCapacity(plan, 'guests_per_project', taken?.n ?? 0)
  await tx
    .insert(projectGuests)
    .values({ ...stay, projectId: projectId ?? '', role: create(role, ProjectRole) })
    .onConflictDoNothing()
}

export const accept = async (tx: Tx, answer: Answer): Promise<{ found: Found; deed: AuditEvent }> => {
  const found = await open(tx, answer)
  await join(tx, found, answer.person, answer.now)
  await close(tx, found, 'accepted', answer.now)
  return { found, deed: deedOf(found, [{ field: 'base_role', before: null, after: found.invite.role }]) }
}

export const decline = async (tx: Tx, answer: Answer): Promise<{ found: Found; deed: AuditEvent }> => {
  const found = await open(tx, answer)
  await close(tx, found, 'declined', answer.now)
  return { found, deed: deedOf(found) }
}
