import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorBody } from '../../../contract/core/errors'
import { limitFieldErrors } from '../../../contract/core/field-errors'
import { messages } from '../../../contract/core/error-messages'
import { maxBodyBytes, product } from '../../../contract/core/limits'
import { describeTimeout, rethrowAsRefusal } from './database-errors'
import { Refusal } from './refuse'
import type { Uniques } from './rights'

/** A refusal as the common error JSON. */
export const toErrorBody = ({ code, message, facts }: Refusal, requestId: string): ErrorBody => ({
  error: {
    code,
    message,
    details: limitFieldErrors(facts.details ?? []),
    request_id: requestId,
    ...(facts.requiredPermission && { required_permission: facts.requiredPermission }),
    ...(facts.requiredPlan && { required_plan: facts.requiredPlan }),
    ...(facts.retryAfterS !== undefined && { retry_after_s: facts.retryAfterS }),
    about: facts.about,
  },
})

const mebibyte = 1024 * 1024

/** An error of Fastify itself: a body that is too large, of an unknown type, or malformed. */
const refusalOfFastifyError = (
  { code, statusCode = 500 }: FastifyError,
  { routeOptions }: FastifyRequest,
): Refusal | undefined => {
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const limit = routeOptions.bodyLimit ?? maxBodyBytes
    const message = `The request is larger than ${Math.floor(limit / mebibyte)} MiB`
    return new Refusal(413, 'body_too_large', { message, about: { max_bytes: limit } })
  }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new Refusal(415, 'unsupported_media_type', {})
  if (statusCode >= 400 && statusCode < 500) return new Refusal(400, 'malformed', {})
  return undefined
}

// zlib error codes start with Z_: the body is not valid gzip.
const isBadGzip = ({ code }: { code?: string }) => code?.startsWith('Z_') === true

const refusalOf = (uniques: Uniques, error: FastifyError, request: FastifyRequest): Refusal | undefined => {
  if (error instanceof Refusal) return error
  if (isBadGzip(error)) return new Refusal(400, 'malformed', {})
  try {
    return refusalOfFastifyError(error, request) ?? rethrowAsRefusal(uniques, error)
  } catch (thrown) {
    return thrown instanceof Refusal ? thrown : undefined
  }
}

/** As hawkBit sends it. SWUpdate reports the message, so it is plain. */
const toDdiBody = ({ code, message, facts, name }: Refusal) => ({
  exceptionClass: name,
  errorCode: `${product.slug}.${code}`,
  message: [message, ...limitFieldErrors(facts.details ?? []).map((detail) => detail.message)].join('. '),
})

// hawkBit clients know no 422.
const statusFor = (status: number) => (status === 422 ? 400 : status)

const logFailure = (error: FastifyError, { log, id }: FastifyRequest): void => {
  const timeout = describeTimeout(error)
  // The caller may try again: nothing is broken, but somebody may want to know what is slow.
  if (timeout) log.warn({ ...timeout, request_id: id }, 'a request reached the time limit of the database')
  else log.error({ err: error, request_id: id }, 'a request failed')
}

/** Sends the common error JSON, or what the endpoint's clients understand. An error that is no refusal is logged completely; the client gets only its request id (T-24). */
export const createErrorHandler =
  (uniques: Uniques) =>
  (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    const refusal = refusalOf(uniques, error, request) ?? new Refusal(500, 'internal', { message: messages.internal })
    // Low disk space is logged once, where it is detected: a line per refusal would fill the disk.
    const isExpected = refusal.status === 507 && error instanceof Refusal
    if (refusal.status >= 500 && !isExpected) logFailure(error, request)
    if (refusal.facts.retryAfterS !== undefined) reply.header('Retry-After', refusal.facts.retryAfterS)
    reply.headers({ ...refusal.facts.headers })
    const form = request.routeOptions.config?.errors
    if (form !== undefined) {
      const answer = reply.code(statusFor(refusal.status))
      void (form === 'status' ? answer.send() : answer.type('application/json').send(toDdiBody(refusal)))
      return
    }
    void reply.code(refusal.status).type('application/json; charset=utf-8').send(toErrorBody(refusal, request.id))
  }
