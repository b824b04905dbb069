import { create } from 'superstruct'
import * as contract from '../../../contract/accounts/invites'
import { BaseRole, mayGrant, ProjectRole } from '../../../contract/core/roles'
import type { Api } from '../../core/http/api'
import { refuse } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { formatTimestamp } from '../../core/timestamps'
import { emptyMails } from '../../core/mail/queue-mail'
import { accept, decline, inviteOf, maskEmail } from './answer'
import { countSeats, type InviteTarget, organizationTarget, projectTarget } from './target'
import { type InviteWithTarget, listInvites, updateInviteState } from './repository'
import { nameOf, stateOf } from './state'
import { inviteToJson } from './to-json'
import { ownInvite, resend, sendInvites, type InviteContext } from './send'

const memberInviteToJson = (found: InviteWithTarget, now: Date) => ({
  ...inviteToJson(found, now),
  base_role: create(found.invite.role, BaseRole),
})
const guestInviteToJson = (found: InviteWithTarget, now: Date) => ({
  ...inviteToJson(found, now),
  base_role: create(found.invite.role, ProjectRole),
})

const auditTarget = ({ id, email }: { id: string; email: string }) => ({ kind: 'invite', id, name: email })

type Calling = Pick<InviteContext, 'tx' | 'deps' | 'now' | 'user' | 'afterCommit'>
const workOf = ({ tx, deps, now, user, afterCommit }: Calling, target: InviteTarget): InviteContext => ({
  tx,
  deps,
  now,
  user,
  afterCommit,
  target,
})

/** Nobody assigns a role above their own (T-06). */
const checkGrant = (own: string, role: string) => {
  if (!mayGrant(create(own, BaseRole), create(role, BaseRole)))
    refuse(403, 'role_above_own', { message: 'This role has more permissions than yours' })
}

type Sent = Awaited<ReturnType<typeof sendInvites>>['sent']
/** One audit entry for one call: who was invited, and with which role. */
const deedOf = (sent: Sent, role: string) => {
  const [first] = sent.map(({ found }) => found.invite)
  return {
    target:
      first && sent.length === 1 ? auditTarget(first) : { kind: 'invite', id: first?.id ?? '', name: `${sent.length} people` },
    changes: [
      { field: 'email', before: null, after: sent.map(({ found }) => found.invite.email) },
      { field: 'base_role', before: null, after: role },
    ],
  }
}

/**
 * Revokes an open invite; one that has already ended is left unchanged. 409 for an accepted one: the person has joined, and stays until
 * they are removed.
 */
const revoke = async (work: Pick<InviteContext, 'tx' | 'target' | 'now'>, id: string): Promise<InviteWithTarget | null> => {
  const found = await ownInvite(work, id)
  if (found.invite.state === 'accepted')
    refuse(409, 'conflict', {
      message: 'This invite was accepted. Remove the person from the list of people instead',
      about: { state: 'accepted' },
    })
  if (found.invite.state !== 'pending') return null
  await updateInviteState(work.tx, id, 'revoked', work.now)
  await emptyMails(work.tx, [found.invite.tokenHash])
  return found
}

const organizationInvites = (api: Api) => {
  route(api, contract.invites, async (call) => {
    const target = organizationTarget(call)
    const { found, ...page } = await listInvites(call.tx, target, call.query)
    return {
      invites: found.map((one) => memberInviteToJson(one, call.now)),
      ...page,
      seats: await countSeats(call.tx, target, call.now),
    }
  })

  route(api, contract.createInvites, async (call) => {
    const { body, now } = call
    checkGrant(call.organization.role, body.base_role)
    const asked = { emails: body.emails, role: body.base_role, message: body.message ?? '' }
    const { sent, failed } = await sendInvites(workOf(call, organizationTarget(call)), asked)
    if (sent.length === 0) call.skipAudit()
    else call.audit(deedOf(sent, body.base_role))
    return { invites: sent.map(({ found, url }) => ({ ...memberInviteToJson(found, now), accept_url: url })), failed }
  })

  route(api, contract.resendInvite, async (call) => {
    const work = workOf(call, organizationTarget(call))
    const kept = await ownInvite(work, call.params.inviteId)
    checkGrant(call.organization.role, kept.invite.role)
    const { found, url } = await resend(work, kept)
    call.audit({ target: auditTarget(found.invite) })
    return { ...memberInviteToJson(found, call.now), accept_url: url }
  })

  route(api, contract.revokeInvite, async (call) => {
    const ended = await revoke({ tx: call.tx, now: call.now, target: organizationTarget(call) }, call.params.inviteId)
    if (ended) call.audit({ target: auditTarget(ended.invite) })
    else call.skipAudit()
  })
}

const projectInvites = (api: Api) => {
  route(api, contract.projectInvites, async (call) => {
    const target = projectTarget(call)
    const { found, ...page } = await listInvites(call.tx, target, call.query)
    return {
      invites: found.map((one) => guestInviteToJson(one, call.now)),
      ...page,
      seats: await countSeats(call.tx, target, call.now),
    }
  })

  route(api, contract.createProjectInvites, async (call) => {
    const { body, now } = call
    const asked = { emails: body.emails, role: body.base_role, message: body.message ?? '' }
    const { sent, failed } = await sendInvites(workOf(call, projectTarget(call)), asked)
    if (sent.length === 0) call.skipAudit()
    else call.audit(deedOf(sent, body.base_role))
    return { invites: sent.map(({ found, url }) => ({ ...guestInviteToJson(found, now), accept_url: url })), failed }
  })

  route(api, contract.resendProjectInvite, async (call) => {
    const work = workOf(call, projectTarget(call))
    const { found, url } = await resend(work, await ownInvite(work, call.params.inviteId))
    call.audit({ target: auditTarget(found.invite) })
    return { ...guestInviteToJson(found, call.now), accept_url: url }
  })

  route(api, contract.revokeProjectInvite, async (call) => {
    const ended = await revoke({ tx: call.tx, now: call.now, target: projectTarget(call) }, call.params.inviteId)
    if (ended) call.audit({ target: auditTarget(ended.invite) })
    else call.skipAudit()
  })
}

const answers = (api: Api) => {
  route(api, contract.invite, async ({ tx, params, now }) => {
    const found = await inviteOf(tx, params.inviteToken)
    return {
      organization_name: found.organization?.name ?? null,
      project_name: found.project?.name ?? null,
      inviter_name: nameOf(found.inviter),
      email_masked: maskEmail(found.invite.email),
      base_role: found.invite.role,
      state: stateOf(found, now),
      expires_at: formatTimestamp(found.invite.expiresAt),
    }
  })

  route(api, contract.acceptInvite, async ({ tx, params, now, user, audit }) => {
    const { found, deed } = await accept(tx, { now, token: params.inviteToken, person: user })
    audit(deed)
    return { organization_id: found.organization?.publicId ?? null, project_id: found.invite.projectId }
  })

  route(api, contract.declineInvite, async ({ tx, params, now, user, audit }) => {
    const { deed } = await decline(tx, { now, token: params.inviteToken, person: user })
    audit(deed)
  })
}

export const inviteRoutes = (api: Api): void => {
  organizationInvites(api)
  projectInvites(api)
  answers(api)
}
