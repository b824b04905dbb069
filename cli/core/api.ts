import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { is, validate } from 'superstruct'
import { type AnswerOf, type BodyOf, type Endpoint, type ParamsOf, pathOf, type QueryOf } from '../../contract/core/endpoint'
import { ErrorBody } from '../../contract/core/errors'
import { causeOf, isAnswerLost, Refused, Unreachable } from './errors'
import { client } from './version'

type Common = { ifMatch?: number; rows?: { bytes: Buffer<ArrayBuffer>; type: string } }
type Options<E> = Common &
  ([QueryOf<E>] extends [undefined] ? unknown : { query?: QueryOf<E> }) &
  ([BodyOf<E>] extends [undefined] ? unknown : { body?: BodyOf<E> })
type Scalar = string | number | boolean | null | undefined
type Query = Record<string, Scalar | readonly Scalar[]>
type Sent = Common & { query?: Query; body?: unknown; key?: string | undefined }

/** Rejects with `Refused` or `Unreachable`. */
type Call = <E extends Endpoint>(endpoint: E, params: ParamsOf<E>, options?: Options<E>) => Promise<AnswerOf<E>>
export type Api = { origin: string; headers: Record<string, string>; call: Call }

const timeoutMs = 30_000
const longTimeoutMs = 600_000
/** A limit of the rate, a host that restarts, and a first request that still runs name the time after which to ask again. */
const waitingStatuses: ReadonlySet<number> = new Set([409, 429, 503])
const attempts = 5
/** Pauses before a request without an answer is repeated with its first key, in milliseconds. */
const unansweredPauses = [500, 2000]
const longestPauseS = 60

const searchOf = (query: Query = {}) => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat()) if (one !== undefined && one !== null) search.append(name, String(one))
  return search.size > 0 ? `?${search}` : ''
}

/** With another body than the common error JSON they are of a proxy that does not reach the server, which may be restarting. */
const gatewayStatuses: ReadonlySet<number> = new Set([502, 503, 504])
/** Of these, those of a proxy that has sent the request on and got no answer. */
const lostStatuses: ReadonlySet<number> = new Set([502, 504])

/** A refusal in the common error JSON; another body, of a proxy, counts by its status alone. */
export const toRefused = (status: number, text: string): Refused => {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    body = undefined
  }
  if (!is(body, ErrorBody)) return new Refused(`The server answered with status ${status}`, { status, code: 'unknown' })
  const { code, message, details, required_permission: requiredPermission, request_id: requestId } = body.error
  return new Refused(message, { status, code, details, requiredPermission, requestId })
}

type Received = { status: number; text: string; retryAfterS: number }

const toAnswer = (origin: string, { method, path, answer }: Endpoint, { status, text }: Received): unknown => {
  if (status >= 400) {
    const refused = toRefused(status, text)
    if (refused.code === 'unknown' && gatewayStatuses.has(status))
      throw new Unreachable(`${origin} cannot be reached: a proxy answers with status ${status}`, lostStatuses.has(status))
    throw refused
  }
  if (answer === 'none') return undefined
  if (typeof answer === 'string') return text
  const unexpected = () =>
    new Refused(`${method} ${path}: this is not an answer of Teasel's API`, { status, code: 'unexpected_answer' })
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw unexpected()
  }
  // The answer stays as it is: fields of a newer server are printed too.
  if (validate(body, answer)[0]) throw unexpected()
  return body
}

/** Calls of one API host with an access token. */
export const connect = (origin: string, token: string): Api => {
  const headers = { authorization: `Bearer ${token}`, 'user-agent': `${client.name}/${client.version}` }

  const send = async (
    endpoint: Endpoint,
    params: Record<string, string>,
    { query, body, ifMatch, rows, key }: Sent,
  ): Promise<Received> => {
    const url = `${origin}${pathOf(endpoint.path, params)}${searchOf(query)}`
    const type = rows ? rows.type : body === undefined ? undefined : 'application/json'
    const init = {
      method: endpoint.method,
      headers: {
        ...headers,
        ...(type !== undefined && { 'content-type': type }),
        ...(ifMatch !== undefined && { 'if-match': `"${ifMatch}"` }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      body: rows ? rows.bytes : body === undefined ? null : JSON.stringify(body),
    }
    const signal = AbortSignal.timeout(endpoint.longBody ? longTimeoutMs : timeoutMs)
    try {
      const response = await fetch(url, { ...init, signal, redirect: 'error' })
      return { status: response.status, text: await response.text(), retryAfterS: Number(response.headers.get('retry-after')) }
    } catch (error) {
      throw new Unreachable(`${origin} cannot be reached: ${causeOf(error)}`, isAnswerLost(error))
    }
  }

  const call = async (endpoint: Endpoint, params: Record<string, string> = {}, options: Sent = {}): Promise<unknown> => {
    // A request without an answer, or with 503, may have been done: with the same key it is not done twice.
    const key = endpoint.method === 'POST' && endpoint.accepts !== 'bytes' ? randomUUID() : undefined
    let lost = 0
    for (let attempt = 1; ; attempt++) {
      try {
        const received = await send(endpoint, params, { ...options, key })
        const { status, retryAfterS } = received
        const waits = waitingStatuses.has(status) && retryAfterS > 0 && retryAfterS <= longestPauseS
        if (!waits || attempt === attempts) return toAnswer(origin, endpoint, received)
        await pause(retryAfterS * 1000)
      } catch (error) {
        if (key === undefined || !(error instanceof Unreachable) || !error.isAnswerLost) throw error
        const pauseMs = unansweredPauses[lost++]
        if (pauseMs === undefined) throw new Unreachable(`${error.message}. It is not known whether this was done`, true)
        await pause(pauseMs)
      }
    }
  }

  // The only cast from a generic call to the types of the contract.
  return { origin, headers, call: call as Call }
}
