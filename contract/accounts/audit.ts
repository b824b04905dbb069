import { array, enums, type Infer, integer, nullable, object, optional, string, type, unknown } from 'superstruct'
import { PublicKey } from '../device/public-key'
import { endpoint, requires, inOrganization, inProject } from '../core/endpoint'
import { maxAuditChainPage } from '../core/limits'
import { listOf, listQuery } from '../core/lists'
import { oneOf, integerParam, text } from '../core/rules'
import { Id, PublicId, Timestamp } from '../core/shapes'

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
  /** `name`: of an access token. */
  credential: type({ kind: string(), id: nullable(string()), name: optional(string()) }),
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

/** Actors (the 50 most frequent) and actions of the whole log, most frequent first, for filter menus. Empty on later pages. */
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

/** An entry of another project, of which the reader of a project's log knows only the place in the chain. */
const AuditLink = type({ sequence: integer(), prev_hash: string(), hash: string() })
export type AuditLink = Infer<typeof AuditLink>

/** The signed head of a chain, as the installation keeps it outside the database; times are ISO 8601. */
export const AuditAnchorRecord = type({
  kind: enums(['head', 'restore']),
  chain: string(),
  sequence: integer(),
  hash: string(),
  /** Number of entries that retention has kept. */
  count: integer(),
  at: string(),
  /** The last walk over all entries (not only those since the previous anchor) and the first wrong entry that it found. */
  walked_at: nullable(string()),
  first_bad: nullable(integer()),
  /** The last restore: its time, the time of the backup, and the end of the chain before it. */
  restored: nullable(type({ at: string(), taken_at: string(), sequence: nullable(integer()) })),
  /** Base 64. */
  signature: string(),
})
export type AuditAnchorRecord = Infer<typeof AuditAnchorRecord>

/** Where retention has removed all entries up to `sequence`; 0 if it has removed none. */
const AuditCheckpoint = type({ sequence: integer(), hash: string(), signature: nullable(string()) })

/** `chain` is part of the signed texts; `key` verifies the signatures of this installation, null before its first anchor. */
const AuditChainPage = type({
  chain: string(),
  head: type({ sequence: integer(), hash: string() }),
  checkpoint: AuditCheckpoint,
  anchor: nullable(AuditAnchorRecord),
  key: nullable(PublicKey),
  entries: array(oneOf([AuditEntry, AuditLink])),
})
export type AuditChainPage = Infer<typeof AuditChainPage>

const chainQuery = object({
  after: optional(integerParam('Sequence', 0)),
  limit: optional(integerParam('Limit', 1, maxAuditChainPage)),
})
export const projectAuditChain = endpoint({
  method: 'GET',
  path: '/projects/:projectId/audit_log/chain',
  summary:
    'List the chain of the audit log of a project, oldest first, with its checkpoint and signed head. Entries of other projects have only their hashes.',
  needs: requires(inProject, 'project:view_audit_log'),
  audit: 'none',
  rate: 'read',
  query: chainQuery,
  answer: AuditChainPage,
})
export const organizationAuditChain = endpoint({
  method: 'GET',
  path: '/organizations/:organizationId/audit_log/chain',
  summary: 'List the chain of the audit log of an organization, oldest first, with its checkpoint and signed head.',
  needs: requires(inOrganization, 'organization:view_audit_log'),
  audit: 'none',
  rate: 'read',
  query: chainQuery,
  answer: AuditChainPage,
})

/** The first line of an export as NDJSON. */
export const ExportStart = type({
  project_id: optional(Id),
  organization_id: optional(PublicId),
  filter: AuditFilters,
  head_sequence: integer(),
  head_hash: string(),
  chain: string(),
  checkpoint: AuditCheckpoint,
  key: nullable(PublicKey),
})
export type ExportStart = Infer<typeof ExportStart>

/** Its last line: the number of entries and the SHA-256 of all bytes before this line, signed by the installation. */
export const ExportEnd = type({
  end: type({ chain: string(), entries: integer(), sha256: string(), signature: nullable(string()) }),
})
export type ExportEnd = Infer<typeof ExportEnd>

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
