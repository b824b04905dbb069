import { lte, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import type { Endpoint, ScopeSource } from '../../../contract/endpoint'
import { rateWindows } from '../database/schema/plumbing'
import type { Tx } from '../database/tx'
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

type Known = Extract<Actor, { kind: 'user' | 'device' }>
// An enrollment token is no person or device yet; a caller without a token is unknown.
const isKnown = (actor: Actor | undefined): actor is Known => actor?.kind === 'user' || actor?.kind === 'device'

const findTarget = ({ needs }: Endpoint, request: FastifyRequest, refusal: Refusal): DeniedTarget | null => {
  if (refusal.facts.denied) return refusal.facts.denied
  const place = request.admitted?.place
  const params = request.params as Record<string, string> // Parameters of a route are strings.
  if (place && (needs.kind === 'permission' || needs.kind === 'self')) return deniedTarget({ place, scope: needs.scope, params })
  return null
}

/**
 * Writes a refusal (403) of a known caller into the audit log, for endpoints with an audit action: at most once an hour per
 * actor, action and scope, in its own transaction. Hidden objects answer 404 and are never recorded, so that nobody can write
 * into the log of an organization that they do not belong to.
 */
export const recordDenial = async ({ deps }: Api, endpoint: Endpoint, request: FastifyRequest): Promise<void> => {
  const { refusal, actor } = request
  const { audit: action } = endpoint
  if (refusal?.status !== 403 || action === 'none' || !isKnown(actor)) return
  const denied = findTarget(endpoint, request, refusal)
  if (!denied && actor.kind === 'user') return
  const target = denied?.target ?? { kind: 'device', id: actor.id, name: actor.name }
  const place = denied?.place ?? null
  const now = deps.clock()
  const key = ['denied', actor.id, action, place?.auditChainId, place?.project?.id].join(':')
  const { requiredPermission } = refusal.facts
  const reason = requiredPermission === undefined ? refusal.code : `requires ${requiredPermission}`
  await deps.db.transaction(async (tx) => {
    // Not worth a longer wait for a change that holds the chain: the next refusal is recorded instead.
    await tx.execute(sql`set local lock_timeout = '2s'`)
    if (await beginHour(tx, key, now))
      await record(tx, { actor, place, request, now, action, result: 'denied' }, { target, reason })
  })
}
