import * as contract from '../../../contract/accounts/identities'
import type { Api } from '../../core/http/api'
import type { IdentityProvider } from '../../core/identity-provider'
import { notFound, refuse } from '../../core/http/refuse'
import { route, routeWithPreparation } from '../../core/http/route'
import { formatTimestamp } from '../../core/timestamps'
import { sendAccountNotice } from '../credentials/notice-mail'
import { findCredential } from '../credentials/repository'
import { verifyPassword } from '../credentials/verify-password'
import { deleteStepsOfUser } from '../sessions/sign-in-steps.repository'
import { endSignInsOf } from './end-sign-ins'
import { deleteIdentity, findIdentityById, type IdentityRow, listIdentities } from './repository'

type Settings = Pick<IdentityProvider, 'issuer' | 'name'>

const nameOf = (issuer: string, settings: Settings | undefined) => {
  const { href, hostname } = new URL(issuer)
  return settings && new URL(settings.issuer).href === href ? settings.name : hostname
}

const toJson = (
  { id, issuer, email, createdAt, lastUsedAt }: IdentityRow,
  settings: Settings | undefined,
): contract.Identity => ({
  id,
  provider: nameOf(issuer, settings),
  email,
  connected_at: formatTimestamp(createdAt),
  last_used_at: formatTimestamp(lastUsedAt),
})

export const identityRoutes = (api: Api): void => {
  const { identityProvider, passwordSignIn } = api.deps.config

  route(api, contract.listIdentities, async ({ tx, user }) => ({
    identities: (await listIdentities(tx, user.id)).map((row) => toJson(row, identityProvider)),
    provider: identityProvider?.name ?? null,
    has_password: (await findCredential(tx, user.id)) !== undefined,
    password_sign_in: passwordSignIn,
  }))

  routeWithPreparation(
    api,
    contract.disconnectIdentity,
    async (call) => {
      const { deps, user, body } = call
      if (!passwordSignIn) refuse(409, 'password_sign_in_off', { message: 'Without this account you could not sign in' })
      if (!(await findCredential(deps.db, user.id))) refuse(409, 'no_password', { message: 'Set a password first' })
      await verifyPassword(call, body.current_password)
    },
    async (call) => {
      const { tx, params, user, session, now, audit } = call
      const identity = (await findIdentityById(tx, params.identityId)) ?? notFound()
      await endSignInsOf(tx, identity.id, now, { kept: session.signInId })
      // A sign-in that waits for its second factor would connect it again.
      await deleteStepsOfUser(tx, user.id)
      await deleteIdentity(tx, identity.id)
      audit({ target: { kind: 'identity', id: identity.id, name: identity.email } })
      const name = nameOf(identity.issuer, identityProvider)
      await sendAccountNotice(call, `${name} is disconnected`, `${identity.email} of ${name} no longer signs in to your account.`)
    },
  )
}
