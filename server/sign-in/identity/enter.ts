import type { FastifyReply, FastifyRequest } from 'fastify'
import { product } from '../../../contract/core/limits'
import { applyGroups } from '../../accounts/identities/apply-groups'
import { findIdentity, type IdentityProof, insertIdentity, updateIdentityUse } from '../../accounts/identities/repository'
import { insertUser, type UserRow } from '../../accounts/users/repository'
import { recordUserAudit } from '../../accounts/users/user-audit'
import type { Tx } from '../../core/database/tx'
import type { Deps } from '../../core/deps'
import { queueMail } from '../../core/mail/queue-mail'
import type { AuthorizationRequest } from '../authorization'
import { redirectSignedIn } from '../continuing'
import { beginSignIn } from '../cookies'
import { IdentityRefusal } from './refusals'

type Entering = {
  asked: AuthorizationRequest | undefined
  proof: IdentityProof
  user: UserRow
  /** The account was created by this sign-in: its person needs no mail about the connection. */
  isNew?: boolean
}

/** The account of the provider with which this person signs in; connected now if it is new. */
const connect = async (tx: Tx, deps: Deps, request: FastifyRequest, { proof, user, isNew = false }: Entering) => {
  const now = deps.clock()
  const known = await findIdentity(tx, proof)
  if (known) {
    if (known.userId !== user.id) throw new IdentityRefusal('identity_conflict')
    await updateIdentityUse(tx, known.id, proof.email, now)
    return { identity: known, sends: [] }
  }
  const identity = await insertIdentity(tx, user.id, proof, now)
  if (!identity) throw new IdentityRefusal('identity_conflict')
  const about = {
    target: { kind: 'identity', id: identity.id, name: proof.email },
    credential: { kind: 'identity', id: identity.id },
  }
  await recordUserAudit(tx, request, { action: 'user.identity_connect', user, proven: true, now, about })
  if (isNew) return { identity, sends: [] }
  const name = deps.config.identityProvider?.name ?? ''
  const text = `${proof.email} of ${name} now signs in to your account.\n\nIf it was not you, disconnect it in the console under Account, Security, and choose a new password at ${deps.config.urls['sign-in']}/forgot.\n`
  const subject = `${product.name}: ${name} is connected to your account`
  return { identity, sends: [await queueMail(tx, deps, { limited: false, to: user.email, subject, text })] }
}

/** Signs a browser in by the proof of the provider: connects the account if it is new, applies the groups. */
export const enterWithIdentity = async (
  tx: Tx,
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  entering: Entering,
): Promise<{ goal: string; connected: (() => void)[] }> => {
  const { asked, proof, user } = entering
  const { identity, sends } = await connect(tx, deps, request, entering)
  const { identityProvider: settings } = deps.config
  if (settings && proof.groups !== null) {
    const facts = { request, settings, user, identityId: identity.id, now: deps.clock() }
    const missing = await applyGroups(tx, facts, proof.groups)
    if (missing.length > 0) request.log.warn({ organizations: missing }, 'TEASEL_OIDC_GROUP_ROLES names unknown organizations')
  }
  const by = { identityId: identity.id, providerSession: proof.session }
  const signInId = await beginSignIn(tx, reply, deps, user.id, by)
  return { goal: await redirectSignedIn(tx, reply, deps, asked, user.id, signInId), connected: sends }
}

/** Undefined if the address got an account meanwhile. */
export const createUser = async (tx: Tx, deps: Deps, request: FastifyRequest, { email, name }: IdentityProof) => {
  const now = deps.clock()
  const user = await insertUser(tx, { email, fullName: name }, now)
  if (user)
    await recordUserAudit(tx, request, {
      action: 'user.create',
      user,
      proven: true,
      now,
      about: { credential: { kind: 'identity', id: null }, reason: 'by the identity provider' },
    })
  return user
}
