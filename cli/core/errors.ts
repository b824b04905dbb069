import type { FieldError } from '../../contract/core/field-errors'

/** The command line is wrong. */
export class Usage extends Error {
  override readonly name = 'Usage'
}

/** The command cannot do what was asked. */
export class Failed extends Error {
  override readonly name = 'Failed'
}

/** The server refused a call. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly status: number
  readonly code: string
  readonly details: readonly FieldError[]
  readonly requiredPermission: string | undefined
  readonly requestId: string | undefined
  constructor(
    message: string,
    { status, code, details = [], requiredPermission, requestId }: Pick<Refused, 'status' | 'code'> & Partial<Refused>,
  ) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
    this.requiredPermission = requiredPermission
    this.requestId = requestId
  }
}

/** No answer from the server. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
  /** The request was sent and may have been done. */
  readonly isAnswerLost: boolean
  constructor(message: string, isAnswerLost = false) {
    super(message)
    this.isAnswerLost = isAnswerLost
  }
}

const lostCodes: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT'])

/** Whether a request failed after it was sent. */
export const isAnswerLost = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === 'TimeoutError' || lostCodes.has(Reflect.get(error, 'code')) || isAnswerLost(error.cause))

/** The cause that Node names for a failed connection, such as "connect ECONNREFUSED 127.0.0.1:8080". */
export const causeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return 'no answer in time'
  if (error.cause instanceof AggregateError) return causeOf(error.cause.errors[0])
  return error.cause instanceof Error ? causeOf(error.cause) : error.message
}
