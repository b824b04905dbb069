import { lte, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import type { Endpoint, ScopeSource } from '../../../contract/core/endpoint'
import { rateWindows } from '../database/schema/plumbing'
import type { Tx } from '../database/tx'
import type { Deps } from '../deps'
import type { Actor } from './actors'
import type { Api } from './api'
import { type AuditEvent, record } from './audit'
import type { RequestScope } from './scope'
import type { Refusal } from './refuse'

/** Where the refused action would have happened, and its target. */
export type DeniedTarget = { place: Pick<RequestScope, 'auditChainId' | 'project'>; target: AuditEvent['target'] }

type Where = { place: RequestScope; scope: ScopeSource; params: Readonly<Record<string, string>> }

/** The target of a request in the audit log: the object of its id, otherwise its project or organization. */
export const deniedTarget = ({ place, scope, params }: Where): DeniedTarget => {
  const { project, organization } = place
  if (scope.from === 'object') return { place, target: { kind: scope.noun, id: params[scope.param] ?? '', name: null } }
  if (project) return { place, target: { kind: 'project', id: project.id, name: project.name } }
  return {
    place,
    target: { kind: 'organization', id: organization?.publicId ?? place.auditChainId, name: organization?.name ?? null },
  }
}

const EVERY_MS = 3_600_000

/** Starts the hour of this key; false if it is already running. Of several processes one gets true. */
const beginHour = async (tx: Tx, key: string, now: Date): Promise<boolean> => {
  const begun = await tx
    .insert(rateWindows)
    .values({ key, startedAt: now, count: 1 })
    .onConflictDoUpdate({
      target: rateWindows.key,
      set: { startedAt: now },
      setWhere: lte(rateWindows.startedAt, new Date(now.getTime() - EVERY_MS)),
    })
    .returning({ key: rateWindows.key })
  return begun.length === 1
}

/** A refused access token is its own target, in the log of its project; the reason tells what it lacked. */
const tokenDenial = ({ actor, refusal }: FastifyRequest) => {
  if (!refusal || actor?.kind !== 'user' || actor.credential.kind !== 'access_token') return undefined
  if (refusal.status !== 403 && !refusal.code.startsWith('token_')) return undefined
  const { id, name, projectId, auditChainId } = actor.credential
  return { actor, place: { auditChainId, project: null }, deed: { target: { kind: 'access_token', id, name }, projectId } }
}

type Known = Extract<Actor, { kind: 'user' | 'device' }>
// An enrollment token is no person or device yet; a caller without a token is unknown.
const isKnown = (actor: Actor | undefined): actor is Known => actor?.kind === 'user' || actor?.kind === 'device'

const reasonOf = ({ code, facts: { requiredPermission } }: Refusal) =>
  requiredPermission === undefined ? code : `requires ${requiredPermission}`

/** Writes at most once an hour for a key, in its own transaction. */
const recordOnce = ({ db, clock }: Deps, key: string, write: (tx: Tx, now: Date) => Promise<void>): Promise<void> =>
  db.transaction(async (tx) => {
    const now = clock()
    // Not worth a longer wait for a change that holds the chain: the next refusal is recorded instead.
    await tx.execute(sql`set local lock_timeout = '2s'`)
    if (await beginHour(tx, key, now)) await write(tx, now)
  })

const findTarget = ({ needs }: Endpoint, request: FastifyRequest, refusal: Refusal): DeniedTarget | null => {
  if (refusal.facts.denied) return refusal.facts.denied
  const place = request.admitted?.place
  const params = request.params as Record<string, string> // Parameters of a route are strings.
  if (place && (needs.kind === 'permission' || needs.kind === 'self')) return deniedTarget({ place, scope: needs.scope, params })
  return null
}

/**
 * Writes a refusal (403) of a known caller into the audit log, for endpoints with an audit action: at most once an hour per
 * actor, action and scope; refusals of access tokens at every endpoint, at most once an hour per token and reason. Hidden objects answer 404 and are never recorded, so that nobody can write
 * into the log of an organization that they do not belong to.
 */
export const recordDenial = async ({ deps }: Api, endpoint: Endpoint, request: FastifyRequest): Promise<void> => {
  const { refusal, actor } = request
  const ofToken = tokenDenial(request)
  if (refusal && ofToken) {
    const { deed, ...where } = ofToken
    const reason = reasonOf(refusal)
    const key = ['denied', deed.target.id, reason].join(':')
    return recordOnce(deps, key, async (tx, now) =>
      record(tx, { ...where, request, now, action: 'access_token.use_denied', result: 'denied' }, { ...deed, reason }),
    )
  }
  const { audit: action } = endpoint
  if (refusal?.status !== 403 || action === 'none' || !isKnown(actor)) return
  const denied = findTarget(endpoint, request, refusal)
  if (!denied && actor.kind === 'user') return
  const target = denied?.target ?? { kind: 'device', id: actor.id, name: actor.name }
  const place = denied?.place ?? null
  const key = ['denied', actor.id, action, place?.auditChainId, place?.project?.id].join(':')
  await recordOnce(deps, key, async (tx, now) =>
    record(tx, { actor, place, request, now, action, result: 'denied' }, { target, reason: reasonOf(refusal) }),
  )
}
