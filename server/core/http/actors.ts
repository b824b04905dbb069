import { and, eq, isNull, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import type { Needs } from '../../../contract/endpoint'
import type { Plan } from '../../../contract/plans'
import { sessionHeader } from '../../../contract/sessions'
import { members, organizations } from '../../accounts/schema/organizations'
import { sessions, users } from '../../accounts/schema/people'
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
  /** Whether a second factor stands before their sign-in. */
  secondFactor: boolean
  sessionId: string
  signInId: string | null
}
export type DeviceActor = {
  kind: 'device'
  id: string
  projectId: string
  name: string
  /** SHA-256 of the token it came with. */
  tokenHash: string
}
export type EnrollmentActor = { kind: 'enrollment'; id: string; projectId: string; name: string }
export type Actor = User | DeviceActor | EnrollmentActor | { kind: 'anonymous' }

/** Finds who a bearer token belongs to, by its hash; null when it is dead. Refuses by itself where devices are told why. */
export type Bearer<A> = (tx: Tx, tokenHash: string, now: Date) => Promise<A | null>

const TOUCH_MS = 60_000

const header = (request: FastifyRequest, name: string) => {
  const value = request.headers[name.toLowerCase()]
  return typeof value === 'string' ? value : undefined
}

export const sessionTokenOf = (request: FastifyRequest): string | undefined => header(request, sessionHeader)

const bearerOf = (request: FastifyRequest) => /^Bearer (\S+)$/.exec(header(request, 'authorization') ?? '')?.[1]

// Who is in several organizations goes by the strictest of them.
const strictest = sql<number | null>`(
  select min((${organizations.settings}->>'session_idle_s')::int) from ${organizations}
  join ${members} on ${members.organizationId} = ${organizations.id} where ${members.userId} = ${users.id}
)`

/** The live session of a token, by the server's clock: idle limit and absolute limit (T-10), looked up anew each time (T-11). */
export const userOf = async ({ db, clock, config }: Deps, token: string | undefined): Promise<User | null> => {
  if (token === undefined || !isToken('ses', token)) return null
  const [found] = await db
    .select({ session: sessions, user: users, strictest })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.tokenHash, hashOf(token)), isNull(sessions.endedAt)))
  if (!found) return null
  const { session, user } = found
  const idleS = Math.min(config.limits.sessionIdleS, found.strictest ?? Infinity)
  const now = clock()
  const idle = now.getTime() - session.lastUsedAt.getTime()
  if (now >= session.expiresAt || idle >= idleS * 1000) return null
  if (idle >= TOUCH_MS) await db.update(sessions).set({ lastUsedAt: now }).where(eq(sessions.id, session.id))
  return {
    kind: 'user',
    id: user.id,
    email: user.email,
    name: user.fullName,
    plan: user.pricingPlan,
    secondFactor: user.mfaEnabled,
    sessionId: session.id,
    signInId: session.signInId,
  }
}

const anonymous: Actor = { kind: 'anonymous' }

/** Who calls. 401 unless the endpoint is open to anyone. */
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
  const looking = { kind: 'session', ip: request.ip, tokenHash: hashOf(token ?? ''), find: () => userOf(deps, token) } as const
  const user = token !== undefined && isToken('ses', token) ? await api.lookUp(looking) : null
  return user ?? (needs.kind === 'public' ? anonymous : refuse(401, 'unauthenticated'))
}
