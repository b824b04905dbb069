import { messages } from '../../../contract/core/error-messages'
import { type Permission, permissionWords } from '../../../contract/core/permissions'
import type { Plan } from '../../../contract/accounts/plans'
import { rolesWith } from '../../../contract/core/roles'
import type { FieldError } from '../../../contract/core/field-errors'
import type { DeniedTarget } from './denied'

export type RefusalStatus =
  | 400
  | 401
  | 402
  | 403
  | 404
  | 408
  | 409
  | 410
  | 412
  | 413
  | 415
  | 416
  | 417
  | 421
  | 422
  | 423
  | 428
  | 429
  | 431
  | 500
  | 503
  | 507

export type RefusalFacts = {
  message?: string
  details?: FieldError[]
  /** Facts for the caller to act on: `{ limit, used }`, `{ current }`. */
  about?: unknown
  requiredPermission?: Permission
  requiredPlan?: Plan
  retryAfterS?: number
  headers?: Readonly<Record<string, string>>
  /** Of a 403: the target of the refused action if the guard did not find it. For the audit log only, never sent. */
  denied?: DeniedTarget
}

const hasState = (about: unknown): about is { state: string } =>
  typeof about === 'object' && about !== null && 'state' in about && typeof about.state === 'string'

/** Someone else, or an earlier call whose answer was lost, may have changed the state: it is named. */
const defaultMessage = (code: string, { about, requiredPermission }: RefusalFacts): string => {
  if (code === 'conflict' && hasState(about)) return `This is not possible: the state is ${about.state.replaceAll('_', ' ')} now`
  if (requiredPermission !== undefined)
    return `Needs “${permissionWords(requiredPermission)}”. Roles that have it: ${rolesWith(requiredPermission).join(', ')}`
  return (messages as Record<string, string>)[code] ?? code
}

/** A refused request, thrown; answered as the common error JSON. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly status: RefusalStatus
  readonly code: string
  readonly facts: RefusalFacts

  constructor(status: RefusalStatus, code: string, facts: RefusalFacts) {
    super(facts.message ?? defaultMessage(code, facts))
    this.status = status
    this.code = code
    this.facts = facts
  }
}

/** Ends the request with a refusal. The message comes from `contract/core/errors` if it has the code. */
export function refuse(status: RefusalStatus, code: string, facts: RefusalFacts = {}): never {
  throw new Refusal(status, code, facts)
}

/** 422 for one field. */
export function refuseField(field: string, code: string, message: string): never {
  return refuse(422, 'invalid', { details: [{ field, code, message }] })
}

export function notFound(): never {
  return refuse(404, 'not_found')
}
