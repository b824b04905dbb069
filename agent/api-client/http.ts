import { is, type Struct } from 'superstruct'
import { ErrorBody } from '../../contract/core/errors'
import { type Bounds, clampSeconds, pollBounds } from '../core/wait'

/** The server answered with a refusal. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly status: number
  readonly code: string
  readonly retryAfterMs: number | null
  /** The date of the answer; NaN if it has none. Only for refusals that an accepted token can get. */
  readonly dateMs: number
  constructor(status: number, code: string, message: string, retryAfterMs: number | null, dateMs = Number.NaN) {
    super(message)
    this.status = status
    this.code = code
    this.retryAfterMs = retryAfterMs
    this.dateMs = dateMs
  }
}

/** Whether the server has refused, as opposed to a network between, which knows nothing of the form of its errors. */
export const isByServer = ({ code, status }: Refused): boolean => code !== `http_${status}`

/** Whether the server does not know the token of the device any more. */
export const isUnknownToken = (error: unknown): error is Refused =>
  error instanceof Refused && error.status === 401 && isByServer(error)

/** No answer, or an unreadable one. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

/** How the agent reaches one host. */
export type Connection = {
  origin: string
  timeoutMs: number
  /** The current bearer token, or null for a call without one. */
  token: () => string | null
  /** Called with the date of every answer to an accepted token. */
  onDate?: (ms: number) => void
  /** Called with the status of every answer, and with 0 for a call without one. */
  onStatus?: (status: number) => void
  /** Limits of the delays that the server requests (Retry-After, polling interval). */
  bounds?: Bounds
}

/** Another host, such as that of the fallback manifest: it gets no token, and its dates do not move the clock. */
export const untrusted = (connection: Connection, origin: string): Connection => ({
  ...connection,
  origin,
  token: () => null,
  onDate: () => {},
})

/** Larger answers are dropped, except assets: one and a half times the largest body that the server accepts. */
const maxAnswerBytes = 1.5 * 1024 * 1024

export type Call = {
  method: string
  path: string
  json?: unknown
  text?: string
  headers?: Record<string, string>
  signal?: AbortSignal
  token?: string
}

const headersFor = (connection: Connection, call: Call) => {
  const token = call.token ?? connection.token()
  return {
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(call.json === undefined ? {} : { 'content-type': 'application/json' }),
    ...(call.text === undefined ? {} : { 'content-type': 'application/x-ndjson' }),
    'user-agent': 'teasel-agent',
    ...call.headers,
  }
}

/** Reads an answer up to the limit; a longer one is dropped together with its connection. */
export const readJson = async (response: Response): Promise<unknown> => {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of (response.body ?? []) as unknown as AsyncIterable<Uint8Array>) {
    size += piece.length
    if (size > maxAnswerBytes) throw new Error(`it is longer than ${maxAnswerBytes} bytes`)
    pieces.push(piece)
  }
  return JSON.parse(Buffer.concat(pieces).toString('utf8'))
}

/** Discards the body of an answer of which only the status matters. */
const discardBody = (response: Response) => void response.body?.cancel().catch(() => {})

const retryAfter = (response: Response, bounds: Bounds) => {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return Number.isNaN(seconds) ? null : clampSeconds(seconds, bounds) * 1000
}

const dateOf = (response: Response) => Date.parse(response.headers.get('date') ?? '')

const refusalOf = async (response: Response, bounds: Bounds): Promise<Refused> => {
  const body = await readJson(response).catch(() => null)
  const { code, message } = is(body, ErrorBody) ? body.error : { code: `http_${response.status}`, message: response.statusText }
  return new Refused(response.status, code, message, retryAfter(response, bounds), dateOf(response))
}

/**
 * One call. Returns the response if its status is below 400; throws `Refused` or `Unreachable` otherwise. Redirects are not
 * followed: a device talks only to the server of its configuration.
 */
export const send = async (connection: Connection, call: Call, timeoutMs = connection.timeoutMs): Promise<Response> => {
  const timeout = AbortSignal.timeout(timeoutMs)
  const signal = call.signal ? AbortSignal.any([call.signal, timeout]) : timeout
  const body = call.text ?? (call.json === undefined ? null : JSON.stringify(call.json))
  const request = { method: call.method, headers: headersFor(connection, call), body, signal, redirect: 'manual' as const }
  const response = await fetch(new URL(call.path, connection.origin), request).catch((error: unknown) => {
    connection.onStatus?.(0)
    throw new Unreachable(reasonOf(error), { cause: error })
  })
  connection.onStatus?.(response.status)
  if (response.status >= 300 && response.status !== 304) throw await refusalOf(response, connection.bounds ?? pollBounds)
  connection.onDate?.(dateOf(response))
  return response
}

/** The text of an error for a log; the cause where `fetch` only says that it failed. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error && error.message === 'fetch failed' ? cause.message || cause.name : error.message
}

/** One call whose answer has no content. */
export const sendReport = async (connection: Connection, call: Call): Promise<void> => discardBody(await send(connection, call))

/** The JSON of an answer; one that was cut, or is the page of a network between, is no answer of the server. */
export const readAnswer = (response: Response, path: string): Promise<unknown> =>
  readJson(response).catch((error: unknown) => {
    throw new Unreachable(`The answer to ${path} cannot be read: ${reasonOf(error)}`)
  })

/** One call whose answer must match a struct. */
export const sendRequest = async <T, S>(connection: Connection, call: Call, answer: Struct<T, S>): Promise<T> => {
  const body = await readAnswer(await send(connection, call), call.path)
  if (!is(body, answer)) throw new Unreachable(`The answer to ${call.path} does not have the agreed form`)
  return body
}
