import { array, enums, type Infer, integer, nullable, object, optional, string, type, unknown } from 'superstruct'
import { endpoint, holds, inOrganization, inProject } from './endpoint'
import { listOf, listQuery } from './lists'
import { text } from './rules'
import { Id, Timestamp } from './shapes'

export const AuditEntry = type({
  id: Id,
  occurred_at: Timestamp,
  sequence: integer(),
  action: string(),
  result: enums(['success', 'denied', 'failure']),
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

const query = object({
  ...listQuery,
  from: optional(Timestamp),
  to: optional(Timestamp),
  action: optional(text('Action', { max: 64 })),
  actor_id: optional(string()),
  target_kind: optional(text('Target', { max: 32 })),
  target_id: optional(string()),
  result: optional(enums(['success', 'denied', 'failure'])),
})
const answer = type({
  ...listOf('entries', AuditEntry).schema,
  chain: type({
    head_sequence: integer(),
    head_hash: string(),
    verified: enums(['yes', 'no', 'unknown']),
    first_sequence: integer(),
  }),
})

export const projectAuditLog = endpoint({
  method: 'GET',
  path: '/projects/:projectId/audit_log',
  summary: 'Who did what in a project, newest first.',
  needs: holds(inProject, 'project:view_audit_log'),
  audit: 'none',
  rate: 'read',
  query,
  answer,
})
export const organizationAuditLog = endpoint({
  method: 'GET',
  path: '/organizations/:organizationId/audit_log',
  summary: 'Who did what in an organization, newest first.',
  needs: holds(inOrganization, 'organization:view_audit_log'),
  audit: 'none',
  rate: 'read',
  query,
  answer,
})
