import { validate } from 'superstruct'
import { ErrorBody, type Failure, titles } from '../../contract/core/errors'

/** The error of every failed call. `status` is a property of its own because charts need only it. */
export class ApiError extends Error {
  readonly failure: Failure
  readonly status: number

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.message, options)
    this.name = 'ApiError'
    this.failure = failure
    this.status = failure.status
  }
}

const nothing = {
  details: [],
  requestId: undefined,
  requiredPermission: undefined,
  requiredPlan: undefined,
  retryAfterS: undefined,
  about: undefined,
}

/** No answer: `network_error`, or `timeout` after the console's own limit. */
export const unanswered = (code: 'network_error' | 'timeout', cause: unknown): ApiError =>
  new ApiError({ ...nothing, status: 0, code, message: titles.fallback }, { cause })

/** An answer that does not match the contract. */
export const misread = (response: Response, cause: unknown): ApiError =>
  new ApiError(
    {
      ...nothing,
      status: response.status,
      code: 'unexpected_answer',
      message: titles.other,
      requestId: response.headers.get('x-request-id') ?? undefined,
    },
    { cause },
  )

const secondsOf = (header: string | null) => (header !== null && /^\d+$/.test(header) ? Number(header) : undefined)

/** A refusal in the common error JSON; other bodies (of a proxy) count by their status alone. */
export const refused = (response: Response, body: unknown): ApiError => {
  const [, known] = validate(body, ErrorBody)
  const error = known?.error
  return new ApiError({
    status: response.status,
    code: error?.code ?? 'unknown',
    message: error?.message ?? titles.other,
    details: error?.details ?? [],
    requestId: error?.request_id ?? response.headers.get('x-request-id') ?? undefined,
    requiredPermission: error?.required_permission,
    requiredPlan: error?.required_plan,
    retryAfterS: error?.retry_after_s ?? secondsOf(response.headers.get('retry-after')),
    about: error?.about,
  })
}

/** The failure of a thrown error; undefined for bugs of the console. */
export const failureOf = (error: unknown): Failure | undefined => (error instanceof ApiError ? error.failure : undefined)
