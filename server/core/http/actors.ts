import type { FastifyRequest } from 'fastify'
import type { Needs } from '../../../contract/endpoint'
import type { Plan } from '../../../contract/plans'
import type { ProjectSettings } from '../../../contract/projects'
import { sessionHeader } from '../../../contract/sessions'
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
  sessionId: string
  /** The sign-in on the sign-in host that started the session; null if it has none. */
  signInId: string | null
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

const readHeader = (request: FastifyRequest, name: string) => {
  const value = request.headers[name.toLowerCase()]
  return typeof value === 'string' ? value : undefined
}

export const readSessionToken = (request: FastifyRequest): string | undefined => readHeader(request, sessionHeader)

const readBearerToken = (request: FastifyRequest) => /^Bearer (\S+)$/.exec(readHeader(request, 'authorization') ?? '')?.[1]

const anonymous: Actor = { kind: 'anonymous' }

/** Authenticates the caller by the token that the endpoint needs. 401 without a valid one, unless the endpoint is public. */
export const authenticate = async (api: Api, needs: Needs, request: FastifyRequest): Promise<Actor> => {
  const { deps, findActor } = api
  if (needs.kind === 'controller') return (await findActor.controller?.(request)) ?? refuse(401, 'unauthenticated')
  if (needs.kind === 'device' || needs.kind === 'enrollment') {
    const token = readBearerToken(request)
    if (token === undefined || !isToken(needs.kind === 'device' ? 'dvc' : 'enr', token)) return refuse(401, 'unauthenticated')
    const findByHash: FindActor<DeviceActor | EnrollmentActor> | undefined = findActor[needs.kind]
    const tokenHash = hashOf(token)
    const find = async () => (await findByHash?.(deps.db, tokenHash, deps.clock())) ?? null
    const found = await api.lookUp({ kind: needs.kind, ip: request.ip, tokenHash, find })
    return found ?? refuse(401, 'unauthenticated')
  }
  const token = readSessionToken(request)
  const isSession = token !== undefined && isToken('ses', token)
  const find = async () => (isSession ? ((await findActor.session?.(deps, token)) ?? null) : null)
  const user = isSession ? await api.lookUp({ kind: 'session', ip: request.ip, tokenHash: hashOf(token), find }) : null
  return user ?? (needs.kind === 'public' ? anonymous : refuse(401, 'unauthenticated'))
}
