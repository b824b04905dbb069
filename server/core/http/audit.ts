import type { FastifyRequest } from 'fastify'
import type { AuditEntry } from '../../../contract/accounts/audit'
import type { AuditAction } from '../../../contract/core/audit-actions'
import { append, type AuditFacts } from '../audit/chain'
import type { Tx } from '../database/tx'
import type { Actor } from './actors'
import type { RequestScope } from './scope'

/** What a handler adds to the audit entry; the core knows the actor, the time and the address. */
export type AuditEvent = {
  target: { kind: string; id: string; name: string | null }
  /** Instead of the endpoint's own. */
  action?: AuditAction
  changes?: AuditEntry['changes']
  reason?: string | null
  /** For requests that create a project or organization: its id. */
  projectId?: string
  organizationId?: string
  /** For callers without a session: the user whose personal chain the entry belongs to, whose identity was just proven. */
  userId?: string
  by?: { id: string; fullName: string; email: string | null }
  /** A second entry of the same event: for the new owner of a project, or the new project of a device. */
  also?: { auditChainId: string; projectId?: string; target?: AuditEvent['target'] }
  /** The part of the system that acted, when no caller did. */
  system?: string
}

/** The names and values of the fields that differ. Never used with secrets. */
export const changesOf = <T extends object>(before: T, after: T, fields: readonly (keyof T & string)[]): AuditEntry['changes'] =>
  fields
    .filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
    .map((field) => ({ field, before: before[field] ?? null, after: after[field] ?? null }))

const who = (actor: Actor, deed: AuditEvent): AuditEntry['actor'] => {
  if (deed.by) return { kind: 'user', id: deed.by.id, name: deed.by.fullName, email: deed.by.email }
  if (deed.system !== undefined) return { kind: 'system', id: null, name: deed.system, email: null }
  if (actor.kind === 'user') return { kind: 'user', id: actor.id, name: actor.name, email: actor.email }
  if (actor.kind === 'anonymous') return { kind: 'anonymous', id: null, name: null, email: null }
  return { kind: actor.kind === 'device' ? 'device' : 'enrollment_token', id: actor.id, name: actor.name, email: null }
}

const byWhat = (actor: Actor, deed: AuditEvent): AuditEntry['credential'] => {
  if (deed.system !== undefined) return { kind: 'system', id: null }
  if (actor.kind === 'user') {
    const { credential } = actor
    const { kind, id } = credential
    return { kind, id, ...(credential.kind === 'access_token' && { name: credential.name }) }
  }
  if (actor.kind === 'anonymous') return { kind: 'none', id: null }
  return { kind: actor.kind === 'device' ? 'device_token' : 'enrollment_token', id: actor.id }
}

type Circumstances = {
  actor: Actor
  place: Pick<RequestScope, 'auditChainId' | 'project'> | null
  request: FastifyRequest
  now: Date
  action: AuditAction
  /** `success` by default. */
  result?: AuditEntry['result']
}

const auditChainOf = (actor: Actor, place: Circumstances['place'], deed: AuditEvent): string => {
  if (deed.organizationId !== undefined) return deed.organizationId
  if (deed.userId !== undefined) return deed.userId
  if (place) return place.auditChainId
  if (actor.kind === 'user') return actor.id
  if (actor.kind === 'anonymous') throw new Error('an anonymous event must name its user or organization')
  return actor.auditChainId
}

/** Writes one audit entry in the transaction of the change. */
export const record = async (
  tx: Tx,
  { actor, place, request, now, action, result = 'success' }: Circumstances,
  deed: AuditEvent,
): Promise<void> => {
  const projectId = 'projectId' in actor ? actor.projectId : (place?.project?.id ?? null)
  const facts: Omit<AuditFacts, 'chainId'> = {
    occurredAt: now,
    action: deed.action ?? action,
    result,
    actor: who(actor, deed),
    credential: byWhat(actor, deed),
    sourceIp: request.ip,
    userAgent: request.headers['user-agent']?.slice(0, 256) ?? null,
    requestId: request.id,
    projectId: deed.projectId ?? projectId,
    target: deed.target,
    changes: deed.changes ?? [],
    reason: deed.reason ?? null,
  }
  const { auditChainId = null, ...elsewhere } = deed.also ?? {}
  const entries = [
    { ...facts, chainId: auditChainOf(actor, place, deed) },
    ...(auditChainId === null ? [] : [{ ...facts, ...elsewhere, chainId: auditChainId }]),
  ]
  // In the order of their ids: two requests that lock the same two chains do not wait for each other.
  for (const entry of entries.toSorted((a, b) => (a.chainId < b.chainId ? -1 : 1))) await append(tx, entry)
}
