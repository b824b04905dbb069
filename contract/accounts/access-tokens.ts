import { array, enums, type Infer, integer, nullable, object, optional, refine, string, type } from 'superstruct'
import { endpoint, inProject, onObject, requires } from '../core/endpoint'
import { listOf, listQuery } from '../core/lists'
import { Permission, permissions } from '../core/permissions'
import { boundedList } from '../core/bounded'
import { boundedInteger, text } from '../core/rules'
import { entity, Id, PublicId, Timestamp } from '../core/shapes'

/** The permissions that a token can have: those of a project, without its members and its deletion. */
export const tokenPermissions = permissions.filter(
  (permission) =>
    !permission.startsWith('organization:') &&
    permission !== 'project:create' &&
    permission !== 'project:delete' &&
    permission !== 'project:manage_members',
)

/** The lifetimes to choose from, in days; null: until it is revoked. */
export const tokenLifetimesDays = [7, 30, 90, 365, null] as const

/** A token is "expiring" for so many days, and at most for half of its lifetime. */
export const tokenExpiringDays = 14
export const maxAllowedAddresses = 50

export const AccessToken = type({
  ...entity,
  project_id: Id,
  name: string(),
  prefix: string(),
  maker: type({ id: Id, name: string() }),
  permissions: array(Permission),
  /** The permissions of the token that its maker holds too: what it may do now. */
  effective_permissions: array(Permission),
  lifetime_days: nullable(integer()),
  expires_at: nullable(Timestamp),
  allowed_addresses: array(string()),
  last_used_at: nullable(Timestamp),
  last_used_ip: nullable(string()),
  state: enums(['active', 'expiring', 'expired', 'revoked']),
  /** The token that this one replaces. */
  rotated_from: nullable(Id),
  /** When another token was created to replace this one. */
  replaced_at: nullable(Timestamp),
})
export type AccessToken = Infer<typeof AccessToken>

const v4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$|\/)|(?=$|\/))){4}$/
const isAddress = (value: string) => v4.test(value) || (value.includes(':') && URL.canParse(`http://[${value}]`))

/** Whether a text is an IP address or a network such as 10.0.0.0/24. */
export const isNetwork = (value: string): boolean => {
  const [address = '', bits, ...more] = value.split('/')
  if (more.length > 0 || !isAddress(address)) return false
  const most = address.includes(':') ? 128 : 32
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most)
}

const Network = refine(
  string(),
  'network',
  (value) => isNetwork(value) || `${value.slice(0, 64)} is not an address such as 192.0.2.7 or a network such as 10.0.0.0/24`,
)

const TokenPermissions = refine(
  boundedList(enums(tokenPermissions), tokenPermissions.length),
  'required',
  (value) => value.length > 0 || 'Choose at least one permission',
)

export const NewAccessToken = object({
  name: text('Name', { max: 64 }),
  permissions: TokenPermissions,
  lifetime_days: nullable(enums([7, 30, 90, 365])),
  allowed_addresses: optional(boundedList(Network, maxAllowedAddresses)),
})
export type NewAccessToken = Infer<typeof NewAccessToken>

/** The longest time for which a replaced token still works: a week. */
export const maxOverlapS = 604_800

export const RotateAccessToken = object({ overlap_s: boundedInteger('Overlap', 0, maxOverlapS) })

const AccessTokenWithSecret = type({ ...AccessToken.schema, token: string() })

export const accessTokens = endpoint({
  method: 'GET',
  path: '/projects/:projectId/access_tokens',
  summary: 'List the access tokens of a project, without their secrets.',
  needs: requires(inProject, 'project:view'),
  audit: 'none',
  rate: 'read',
  query: object(listQuery),
  answer: listOf('access_tokens', AccessToken),
})
export const createAccessToken = endpoint({
  method: 'POST',
  path: '/projects/:projectId/access_tokens',
  summary: 'Create an access token for a machine. Only this answer contains its secret.',
  needs: requires(inProject, 'project:manage_access'),
  tokens: false,
  audit: 'access_token.create',
  rate: 'write',
  body: NewAccessToken,
  answer: AccessTokenWithSecret,
  status: 201,
})
export const rotateAccessToken = endpoint({
  method: 'POST',
  path: '/access_tokens/:accessTokenId/rotate',
  summary: 'Replace an access token by a new one of the same kind. Both work during the overlap. 402 over the plan.',
  needs: requires(onObject('access_token', 'accessTokenId'), 'project:manage_access'),
  tokens: false,
  audit: 'access_token.rotate',
  rate: 'write',
  body: RotateAccessToken,
  answer: AccessTokenWithSecret,
  status: 201,
})
export const revokeAccessToken = endpoint({
  method: 'DELETE',
  path: '/access_tokens/:accessTokenId',
  summary: 'Revoke an access token. It cannot be used from then on.',
  needs: requires(onObject('access_token', 'accessTokenId'), 'project:manage_access'),
  tokens: false,
  audit: 'access_token.revoke',
  rate: 'write',
  answer: 'none',
})

/** What a token is and may do, for the token itself. */
export const CurrentAccessToken = type({
  access_token: AccessToken,
  project: type({ id: Id, name: string(), organization: nullable(type({ public_id: PublicId, name: string() })) }),
})
export type CurrentAccessToken = Infer<typeof CurrentAccessToken>

export const currentAccessToken = endpoint({
  method: 'GET',
  path: '/access_token',
  summary: 'Get the access token that the request is made with, its project and what it may do now.',
  needs: { kind: 'access_token' },
  audit: 'none',
  rate: 'read',
  answer: CurrentAccessToken,
})
