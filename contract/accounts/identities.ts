import { array, boolean, type Infer, nullable, string, type } from 'superstruct'
import { ProvenPassword } from './account'
import { endpoint, onObject, session } from '../core/endpoint'
import { Id, Timestamp } from '../core/shapes'

/** An account of an identity provider that signs in to the caller's account. */
export const Identity = type({
  id: Id,
  /** The name of its provider; of a former one the host name. */
  provider: string(),
  /** The address that the provider gave at the last sign-in. */
  email: string(),
  connected_at: Timestamp,
  last_used_at: Timestamp,
})
export type Identity = Infer<typeof Identity>

export const Identities = type({
  identities: array(Identity),
  /** The name of the identity provider with which people sign in here; null without one. */
  provider: nullable(string()),
  /** Whether the caller has a password, and whether passwords sign in here. */
  has_password: boolean(),
  password_sign_in: boolean(),
})
export type Identities = Infer<typeof Identities>

export const listIdentities = endpoint({
  method: 'GET',
  path: '/users/self/identities',
  summary: 'List the accounts of identity providers that sign in to the account of the caller.',
  needs: session,
  audit: 'none',
  rate: 'read',
  answer: Identities,
})

export const disconnectIdentity = endpoint({
  method: 'DELETE',
  path: '/identities/:identityId',
  summary: 'Disconnect an account of an identity provider, and end the other sessions that it began. 409 no_password.',
  needs: { kind: 'self', scope: onObject('identity', 'identityId') },
  audit: 'user.identity_disconnect',
  rate: 'sign_in',
  body: ProvenPassword,
  answer: 'none',
})
