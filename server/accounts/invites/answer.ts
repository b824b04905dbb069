import { create } from 'superstruct'
import { BaseRole, ProjectRole } from '../../../contract/core/roles'
import type { Tx } from '../../core/database/tx'
import type { AuditEvent } from '../../core/http/audit'
import { countGuests, insertGuest } from '../guests/repository'
import { countMembers, findMembership, insertMember } from '../members/repository'
import { requirePlanCapacity } from '../plan-limit'
import { getProjectPlan } from '../projects/plan-and-settings.repository'
import { notFound, refuse } from '../../core/http/refuse'
import { emptyMails } from '../../core/mail/queue-mail'
import { hashOf } from '../../core/tokens/token'
import { lockTarget } from './target'
import { findInviteOfToken, findMailedInvite, type InviteWithTarget, lockInvite, updateInviteState } from './repository'
import { stateOf } from './state'

type Person = { id: string; email: string }
type Answer = { now: Date; token: string; person: Person }

/** "i…@example.com": enough for the holder of the link to recognize their own address. */
export const maskEmail = (email: string): string => `${[...email][0] ?? ''}…${email.slice(email.lastIndexOf('@'))}`

export const inviteOf = async (tx: Tx, token: string): Promise<InviteWithTarget> =>
  (await findInviteOfToken(tx, hashOf(token))) ?? notFound()

/** The open invite whose mail the reader has: this proves that they own its address. */
export const findOpenMailedInvite = async (
  tx: Tx,
  token: string,
  proof: string,
  now: Date,
): Promise<InviteWithTarget | undefined> => {
  const found = await findMailedInvite(tx, hashOf(token), hashOf(proof))
  return found && stateOf(found, now) === 'pending' ? found : undefined
}

export const isFor = ({ invite }: InviteWithTarget, { email }: Person): boolean => invite.email === email.toLowerCase()

const gone = (): never => refuse(409, 'invite_gone', { message: 'This invite can no longer be answered' })

const homeOf = ({ invite: { organizationId, projectId } }: InviteWithTarget) =>
  organizationId === null
    ? { kind: 'project' as const, id: projectId ?? '' }
    : { kind: 'organization' as const, id: organizationId }

/**
 * T-21: the current invite under the lock of its target: open, valid, sent by someone who may still invite, and to this person.
 */
const open = async (tx: Tx, { now, token, person }: Answer): Promise<InviteWithTarget> => {
  const before = await inviteOf(tx, token)
  await lockTarget(tx, homeOf(before))
  await lockInvite(tx, before.invite.id)
  const found = await inviteOf(tx, token)
  if (!isFor(found, person))
    refuse(409, 'wrong_account', {
      message: 'This invite was sent to another address',
      about: { email: maskEmail(found.invite.email) },
    })
  if (stateOf(found, now) !== 'pending') gone()
  return found
}

const close = async (tx: Tx, { invite }: InviteWithTarget, state: 'accepted' | 'declined', now: Date) => {
  await emptyMails(tx, [invite.tokenHash])
  await updateInviteState(tx, invite.id, state, now)
}

/** The audit entry of an answer. */
const deedOf = ({ invite, project }: InviteWithTarget, changes: AuditEvent['changes'] = []): AuditEvent => ({
  target: { kind: 'invite', id: invite.id, name: invite.email },
  changes,
  ...(invite.organizationId === null
    ? { userId: project?.ownerId ?? '', projectId: invite.projectId ?? '' }
    : { organizationId: invite.organizationId }),
})

const join = async (tx: Tx, { invite, organization }: InviteWithTarget, person: Person, now: Date) => {
  const { organizationId, role, invitedBy } = invite
  const projectId = invite.projectId ?? ''
  // The limits are those of the plan of the organization or of the project's owner.
  const plan = organization?.plan ?? (await getProjectPlan(tx, projectId))
  const stay = { userId: person.id, joinedAt: now, invitedBy }
  if (organizationId !== null) {
    if (await findMembership(tx, organizationId, person.id)) return
    requirePlanCapacity(plan, 'members', await countMembers(tx, organizationId))
    await insertMember(tx, { ...stay, organizationId, baseRole: create(role, BaseRole) })
    return
  }
  requirePlanCapacity(plan, 'guests_per_project', await countGuests(tx, projectId))
  await insertGuest(tx, { ...stay, projectId, role: create(role, ProjectRole) })
}

export const accept = async (tx: Tx, answer: Answer): Promise<{ found: InviteWithTarget; deed: AuditEvent }> => {
  const found = await open(tx, answer)
  await join(tx, found, answer.person, answer.now)
  await close(tx, found, 'accepted', answer.now)
  return { found, deed: deedOf(found, [{ field: 'base_role', before: null, after: found.invite.role }]) }
}

export const decline = async (tx: Tx, answer: Answer): Promise<{ found: InviteWithTarget; deed: AuditEvent }> => {
  const found = await open(tx, answer)
  await close(tx, found, 'declined', answer.now)
  return { found, deed: deedOf(found) }
}
