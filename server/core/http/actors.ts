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
  signInId: string | null
}
export type DeviceActor = {
  kind: 'device'
  id: string
  projectId: string
  /** The settings of its project, read with the token. */
  settings: ProjectSettings
  /** The audit chain of its project: the id of the organization, or of the owner of a personal project. */
  space: string
  name: string
  /** SHA-256 of the device's token. */
  tokenHash: string
}
export type EnrollmentActor = {
  kind: 'enrollment'
  id: string
  projectId: string
  settings: ProjectSettings
  space: string
  name: string
}
export type Actor = User | DeviceActor | EnrollmentActor | { kind: 'anonymous' }

/**
 * Finds the owner of a bearer token by its hash; null if the token is not valid. Throws a refusal itself where a device must get
 * the reason.
 */
export type Bearer<A> = (tx: Tx, tokenHash: string, now: Date) => Promise<A | null>
/** Finds the user of a live session by its token; null if there is none. */
export type SessionBearer = (deps: Deps, token: string) => Promise<User | null>

const header = (request: FastifyRequest, name: string) => {
  const value = request.headers[name.toLowerCase()]
  return typeof value === 'string' ? value : undefined
}

export const sessionTokenOf = (request: FastifyRequest): string | undefined => header(request, sessionHeader)

const bearerOf = (request: FastifyRequest) => /^Bearer (\S+)$/.exec(header(request, 'authorization') ?? '')?.[1]

const anonymous: Actor = { kind: 'anonymous' }

/** The caller. 401 if it is unknown, unless the endpoint is public. */
export const actorOf = async (api: Api, needs: Needs, request: FastifyRequest): Promise<Actor> => {
  const { deps, bearers } = api
  if (needs.kind === 'device' || needs.kind === 'enrollment') {
    const token = bearerOf(request)
    if (token === undefined || !isToken(needs.kind === 'device' ? 'dvc' : 'enr', token)) return refuse(401, 'unauthenticated')
    const bearer: Bearer<DeviceActor | EnrollmentActor> | undefined = bearers[needs.kind]
    const tokenHash = hashOf(token)
    const find = async () => (await bearer?.(deps.db, tokenHash, deps.clock())) ?? null
    const found = await api.lookUp({ kind: needs.kind, ip: request.ip, tokenHash, find })
    return found ?? refuse(401, 'unauthenticated')
  }
  const token = sessionTokenOf(request)
  const isSession = token !== undefined && isToken('ses', token)
  const find = async () => (isSession ? ((await bearers.session?.(deps, token)) ?? null) : null)
  const user = isSession ? await api.lookUp({ kind: 'session', ip: request.ip, tokenHash: hashOf(token), find }) : null
  return user ?? (needs.kind === 'public' ? anonymous : refuse(401, 'unauthenticated'))
}
