import { array, boolean, enums, type Infer, nullable, object, string, type } from 'superstruct'
import { auditResults } from './audit'
import type { AuditAction } from '../core/audit-actions'
import { endpoint, session } from '../core/endpoint'
import { listQuery } from '../core/lists'
import { Id, Timestamp } from '../core/shapes'

/** The audit actions of a person's own account, as opposed to those in organizations and projects. */
export const accountActions = [
  'session.create',
  'session.delete',
  'session.fail',
  'user.create',
  'user.update',
  'user.profile_submit',
  'user.password_change',
  'user.password_reset_request',
  'user.email_change_request',
  'user.email_change_withdraw',
  'user.email_change',
  'user.totp_enable',
  'user.totp_disable',
  'user.recovery_codes_renew',
  'user.recovery_code_use',
  'user.identity_connect',
  'user.identity_disconnect',
  'user.notifications_change',
  'user.export',
] as const satisfies readonly AuditAction[]

export const AccountEvent = type({
  id: Id,
  occurred_at: Timestamp,
  /** One of `accountActions`; a newer server may have more. */
  action: string(),
  result: enums(auditResults),
  ip: nullable(string()),
  user_agent: nullable(string()),
  /** Whether this session did it, or was created by it. */
  current: boolean(),
  /** Names of the changed fields. */
  changed: array(string()),
  reason: nullable(string()),
})
export type AccountEvent = Infer<typeof AccountEvent>

export const accountEvents = endpoint({
  method: 'GET',
  path: '/users/self/events',
  summary: "List the events of the caller's account, newest first.",
  needs: session,
  audit: 'none',
  rate: 'read',
  query: object({ limit: listQuery.limit, cursor: listQuery.cursor }),
  answer: type({ events: array(AccountEvent), next_cursor: nullable(string()) }),
})
