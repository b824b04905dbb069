import { array, type Infer, number, optional, string, type, unknown } from 'superstruct'
import type { FieldError } from './field-errors'

/** The error JSON of every host. */
export const ErrorBody = type({
  error: type({
    code: string(),
    message: string(),
    details: array(type({ field: string(), code: string(), message: string() })),
    request_id: string(),
    required_permission: optional(string()),
    required_plan: optional(string()),
    retry_after_s: optional(number()),
    /** Facts for the code: `current` of 412, `limit` and `used` of 402, `max_bytes` of 413. */
    about: optional(unknown()),
  }),
})
export type ErrorBody = Infer<typeof ErrorBody>

/** Why a call failed, in one form for queries, mutations, uploads and pages. `status` 0: no answer. */
export type Failure = {
  status: number
  code: string
  message: string
  details: FieldError[]
  requestId: string | undefined
  requiredPermission: string | undefined
  requiredPlan: string | undefined
  retryAfterS: number | undefined
  about: unknown
}

/** §8, the titles of the catalogue: exact. */
export const titles = {
  unauthorized: 'Unauthorized',
  notFound: 'The Requested Resource Cannot Be Found',
  other: 'Something Went Wrong, Please Try Again Later',
  fallback: 'An error occurred, please try again later.',
  organizationLost: "You don't have access to this organization or it no longer exists.",
  updating: 'Updating application…',
  newVersion: 'A new app version is available. Reloading…',
  offline: 'It appears that you are offline. Please reconnect if you are trying to access the control center.',
  chart: 'Could not load the chart',
  redirecting: 'Redirecting to sign-in...',
} as const

/** §8: 401 and 403, 404, others; without a status the default. */
export const titleOf = (status: number | undefined): string => {
  if (status === undefined || status === 0) return titles.fallback
  if (status === 401 || status === 403) return titles.unauthorized
  if (status === 404) return titles.notFound
  return titles.other
}

// A gateway answers 502 or 504 when the server itself gave it no answer, and the server 503 when its database gave it none, perhaps
// at the end of the change.
const unansweredStatuses: readonly number[] = [0, 502, 503, 504]
/** Whether the request may have been carried out although it failed, or is still running after its answer was lost. */
export const leavesUnknown = ({ status, code }: Pick<Failure, 'status' | 'code'>): boolean =>
  unansweredStatuses.includes(status) || code === 'idempotency_in_progress'

/** Whether the server refused the request for good: the same request again would be refused again. */
export const isRefusal = (failure: Pick<Failure, 'status' | 'code'>): boolean => {
  const { status } = failure
  return status >= 400 && status < 500 && status !== 408 && status !== 429 && !leavesUnknown(failure)
}
