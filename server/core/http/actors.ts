import type { FastifyRequest } from 'fastify'
import { type Endpoint, takesAccessToken } from '../../../contract/core/endpoint'
import type { Permission } from '../../../contract/core/permissions'
import type { Plan } from '../../../contract/accounts/plans'
import type { ProjectSettings } from '../../../contract/accounts/projects'
import { sessionHeader } from '../../../contract/accounts/sessions'
import type { Tx } from '../database/tx'
import type { Deps } from '../deps'
import { hashOf, isToken } from '../tokens/token'
import type { Api } from './api'
import { refuse } from './refuse'

export type User = {
  kind: 'user'
  id: string
  email: string
  name: string
  plan: Plan
  /** Whether their sign-in needs a second factor. */
  secondFactor: boolean
  credential: SessionCredential | TokenCredential
}
export type SessionCredential = {
  kind: 'session'
  id: string
  /** The sign-in on the sign-in host that started the session; null if it has none. */
  signInId: string | null
}
/** An access token: its maker acts, in one project and with these permissions at most. */
export type TokenCredential = {
  kind: 'access_token'
  id: string
  name: string
  projectId: string
  permissions: readonly Permission[]
  /** The audit chain of its project. */
  auditChainId: string
}
export type DeviceActor = {
  kind: 'device'
  id: string
  projectId: string
  /** The settings of its project, read with the token. */
  settings: ProjectSettings
  /** The audit chain of its project: the id of the organization, or of the owner of a personal project. */
  auditChainId: string
  name: string
  /** SHA-256 of the device's token. */
  tokenHash: string
  /** The token was not used for a check-in yet. */
  isTokenNew?: boolean
}
/** A device that is not enrolled yet: it is known only by its enrollment token. */
export type EnrollmentActor = {
  kind: 'enrollment'
  id: string
  projectId: string
  settings: ProjectSettings
  auditChainId: string
  name: string
}
export type Actor = User | DeviceActor | EnrollmentActor | { kind: 'anonymous' }

/** Finds the actor of a token by its hash; null if the token is not valid. Throws a refusal where a device must get the reason. */
export type FindActor<A> = (tx: Tx, tokenHash: string, now: Date) => Promise<A | null>
/**
 * Finds the device that a DDI client speaks for, by the credentials and the path of its request. An enrollment: the request is
 * the first of a device that is registered with it.
 */
export type FindController = (request: FastifyRequest) => Promise<DeviceActor | EnrollmentActor | null>
/** Finds the user of a session by its token; null if the session has ended. */
export type FindSessionUser = (deps: Deps, token: string) => Promise<User | null>
/** An access token that is refused: known, but ended or used from an address that it does not allow. */
type DeniedToken = { denied: 'expired' | 'revoked' | 'address'; user: User & { credential: TokenCredential } }
/** Finds the maker of an access token by its hash; null if there is no such token. */
export type FindTokenUser = (
  deps: Deps,
  tokenHash: string,
  ip: string,
) => Promise<(User & { credential: TokenCredential }) | DeniedToken | null>

const readHeader = (request: FastifyRequest, name: string) => {
  const value = request.headers[name.toLowerCase()]
  return typeof value === 'string' ? value : undefined
}

export const readSessionToken = (request: FastifyRequest): string | undefined => readHeader(request, sessionHeader)

const readBearerToken = (request: FastifyRequest) => /^Bearer (\S+)$/.exec(readHeader(request, 'authorization') ?? '')?.[1]

const anonymous: Actor = { kind: 'anonymous' }

// Of bounded length at each place, so that its time grows with the length of the address only.
const tokenInQuery = /[?&=](?:ses|pat|enr|dvc)_[0-9A-Za-z]{49}(?:[?&]|$)/

/** Whether a value in the query of an address is a token. */
export const hasTokenInQuery = (url: string): boolean => {
  const start = url.indexOf('?')
  return start >= 0 && tokenInQuery.test(url.slice(start))
}

const deniedTexts = {
  expired: 'This access token has expired',
  revoked: 'This access token was revoked',
  address: 'This access token is not allowed from this address',
} as const

/** The maker of an access token. 403 for a valid one at an endpoint that only people may call. */
const authenticateToken = async (api: Api, endpoint: Endpoint, request: FastifyRequest, token: string): Promise<User> => {
  const tokenHash = hashOf(token)
  const find = () => api.rights.findActor.accessToken(api.deps, tokenHash, request.ip)
  const found = (await api.lookUp({ kind: 'access_token', ip: request.ip, tokenHash, find })) ?? refuse(401, 'unauthenticated')
  if ('denied' in found) {
    const { denied, user } = found
    request.actor = user
    return refuse(denied === 'address' ? 403 : 401, `token_${denied}`, { message: deniedTexts[denied] })
  }
  request.actor = found
  return takesAccessToken(endpoint) ? found : refuse(403, 'person_required')
}

const findUser = (api: Api, { ip }: FastifyRequest, token: string): Promise<User | null> => {
  const find = () => api.rights.findActor.session(api.deps, token)
  return api.lookUp({ kind: 'session', ip, tokenHash: hashOf(token), find })
}

/**
 * Authenticates the caller by the token that the endpoint needs. 401 without a valid one, unless the endpoint is public.
 * `findDevice`: for an endpoint that reads more of its device.
 */
export const authenticate = async (
  api: Api,
  endpoint: Endpoint,
  request: FastifyRequest,
  findDevice: FindActor<DeviceActor> = api.rights.findActor.device,
): Promise<Actor> => {
  const { deps, rights } = api
  const { needs } = endpoint
  // Addresses are kept in histories and in the logs of proxies.
  if (hasTokenInQuery(request.url)) return refuse(400, 'token_in_query')
  if (needs.kind === 'controller') return (await api.findController(request)) ?? refuse(401, 'unauthenticated')
  if (needs.kind === 'device' || needs.kind === 'enrollment') {
    const token = readBearerToken(request)
    if (token === undefined || !isToken(needs.kind === 'device' ? 'dvc' : 'enr', token)) return refuse(401, 'unauthenticated')
    const findByHash = needs.kind === 'device' ? findDevice : rights.findActor.enrollment
    const tokenHash = hashOf(token)
    const find = () => findByHash(deps.db, tokenHash, deps.clock())
    const found = await api.lookUp<DeviceActor | EnrollmentActor>({ kind: needs.kind, ip: request.ip, tokenHash, find })
    return found ?? refuse(401, 'unauthenticated')
  }
  const token = readSessionToken(request)
  const bearer = readBearerToken(request)
  const isMachine = token === undefined && bearer !== undefined && isToken('pat', bearer)
  if (isMachine && needs.kind !== 'public') return authenticateToken(api, endpoint, request, bearer)
  if (needs.kind === 'access_token') return refuse(401, 'unauthenticated')
  const isSession = token !== undefined && isToken('ses', token)
  const user = isSession ? await findUser(api, request, token) : null
  return user ?? (needs.kind === 'public' ? anonymous : refuse(401, 'unauthenticated'))
}
