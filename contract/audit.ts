import canonicalize from 'canonicalize'
import { array, enums, type Infer, integer, nullable, object, optional, string, type, unknown } from 'superstruct'
import { endpoint, requires, inOrganization, inProject } from './endpoint'
import { listOf, listQuery } from './lists'
import { text } from './rules'
import { Id, Timestamp } from './shapes'

export const auditResults = ['success', 'denied', 'failure'] as const

export const AuditEntry = type({
  id: Id,
  occurred_at: Timestamp,
  /** The same time to the millisecond: this one is part of the hash. */
  occurred_at_ms: integer(),
  sequence: integer(),
  action: string(),
  result: enums(auditResults),
  actor: type({ kind: string(), id: nullable(string()), name: nullable(string()), email: nullable(string()) }),
  credential: type({ kind: string(), id: nullable(string()) }),
  source_ip: nullable(string()),
  user_agent: nullable(string()),
  request_id: string(),
  project_id: nullable(Id),
  target: type({ kind: nullable(string()), id: nullable(string()), name: nullable(string()) }),
  changes: array(type({ field: string(), before: unknown(), after: unknown() })),
  reason: nullable(string()),
  prev_hash: string(),
  hash: string(),
})
export type AuditEntry = Infer<typeof AuditEntry>

/**
 * The text whose SHA-256 in lower-case hex is the `hash` of an entry: the previous hash and the RFC 8785 form of all other
 * fields. Anyone who has an entry can check it: the server, the console, or a reader of an export.
 */
export const hashedText = (entry: Omit<AuditEntry, 'hash'> & { hash?: string }): string => {
  const { prev_hash, hash: _, ...rest } = entry
  return prev_hash + (canonicalize(rest) ?? '')
}

const filters = {
  from: optional(Timestamp),
  to: optional(Timestamp),
  action: optional(text('Action', { max: 64 })),
  actor_id: optional(string()),
  target_kind: optional(text('Target', { max: 32 })),
  target_id: optional(string()),
  result: optional(enums(auditResults)),
}
/** The filters of the log; the console uses the same names in its URL. */
export const AuditFilters = object({ q: listQuery.q, ...filters })
export type AuditFilters = Infer<typeof AuditFilters>

const query = object({ ...listQuery, ...filters })

export const auditMismatches = ['end_removed', 'start_removed', 'rewritten', 'anchor_changed'] as const

/**
 * The chain's signed head, kept outside the database and written each minute. `mismatch`: how the log in the database differs
 * from the anchored one. `restored_at`: when a backup was restored; before that the log ended at `restored_from`.
 */
const AuditAnchor = type({
  state: enums(['none', 'match', 'mismatch']),
  mismatch: nullable(enums(auditMismatches)),
  sequence: nullable(integer()),
  anchored_at: nullable(Timestamp),
  restored_at: nullable(Timestamp),
  restored_from: nullable(integer()),
})

/** `no`: the entry `first_bad` was changed. */
export const AuditChain = type({
  head_sequence: integer(),
  head_hash: string(),
  verified: enums(['yes', 'no', 'unknown']),
  first_sequence: integer(),
  first_bad: nullable(integer()),
  anchor: AuditAnchor,
})
export type AuditChain = Infer<typeof AuditChain>

/** Actors and actions of the newest entries, most frequent first, for filter menus. Empty on later pages. */
const recent = type({
  actions: array(type({ action: string(), count: integer() })),
  actors: array(type({ id: string(), kind: string(), name: nullable(string()), count: integer() })),
})
const answer = type({ ...listOf('entries', AuditEntry).schema, chain: AuditChain, recent })

export const projectAuditLog = endpoint({
  method: 'GET',
  path: '/projects/:projectId/audit_log',
  summary: 'List the audit log of a project, newest first.',
  needs: requires(inProject, 'project:view_audit_log'),
  audit: 'none',
  rate: 'read',
  query,
  answer,
})
export const organizationAuditLog = endpoint({
  method: 'GET',
  path: '/organizations/:organizationId/audit_log',
  summary: 'List the audit log of an organization, newest first.',
  needs: requires(inOrganization, 'organization:view_audit_log'),
  audit: 'none',
  rate: 'read',
  query,
  answer,
})

export const exportFormats = ['csv', 'ndjson'] as const
const exportQuery = object({ q: listQuery.q, ...filters, format: optional(enums(exportFormats)) })
export const exportAuditLog = endpoint({
  method: 'GET',
  path: '/projects/:projectId/audit_log/export',
  summary:
    'Export the audit log of a project as a file, oldest first. The first line contains the filter and the head of the chain.',
  needs: requires(inProject, 'project:view_audit_log'),
  audit: 'audit.export',
  rate: 'read',
  query: exportQuery,
  answer: 'bytes',
})
export const exportOrganizationAuditLog = endpoint({
  method: 'GET',
  path: '/organizations/:organizationId/audit_log/export',
  summary:
    'Export the audit log of an organization as a file, oldest first. The first line contains the filter and the head of the chain.',
  needs: requires(inOrganization, 'organization:view_audit_log'),
  audit: 'audit.export',
  rate: 'read',
  query: exportQuery,
  answer: 'bytes',
})
