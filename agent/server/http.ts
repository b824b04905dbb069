import { is, type Struct } from 'superstruct'
import { ErrorBody } from '../../contract/errors'
import { type Bounds, clampSeconds, pollBounds } from '../core/wait'

/** The server answered, and the answer is no. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly status: number
  readonly code: string
  readonly retryAfterMs: number | null
  constructor(status: number, code: string, message: string, retryAfterMs: number | null) {
    super(message)
    this.status = status
    this.code = code
    this.retryAfterMs = retryAfterMs
  }
}

/** No answer, or none that can be understood. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

export type Connection = {
  origin: string
  timeoutMs: number
  /** The bearer token of the moment, or null for a call without one. */
  token: () => string | null
  /** The date of every answer that the server gave to an accepted token. */
  onDate?: (ms: number) => void
  /** Of everything that the server asks to wait. */
  bounds?: Bounds
}

/** Of anything but an asset: as large as the largest body that the server itself takes, and a half. */
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

const headersOf = (line: Connection, call: Call) => {
  const token = call.token ?? line.token()
  return {
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(call.json === undefined ? {} : { 'content-type': 'application/json' }),
    ...(call.text === undefined ? {} : { 'content-type': 'application/x-ndjson' }),
    'user-agent': 'teasel-agent',
    ...call.headers,
  }
}

/** Reads an answer no further than it may be long; what is longer is given up, and its connection with it. */
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

/** Nobody reads what a server says beside its status. */
const dropBody = (response: Response) => void response.body?.cancel().catch(() => {})

const retryAfter = (response: Response, bounds: Bounds) => {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return Number.isNaN(seconds) ? null : clampSeconds(seconds, bounds) * 1000
}

const refusalOf = async (response: Response, bounds: Bounds): Promise<Refused> => {
  const body = await readJson(response).catch(() => null)
  const { code, message } = is(body, ErrorBody) ? body.error : { code: `http_${response.status}`, message: response.statusText }
  return new Refused(response.status, code, message, retryAfter(response, bounds))
}

/**
 * One call. Answers with the response when its status is below 400; throws `Refused` or `Unreachable` otherwise.
 * Redirects are not followed: a device talks to the server of its configuration and to no other.
 */
export const send = async (line: Connection, call: Call, timeoutMs = line.timeoutMs): Promise<Response> => {
  const silence = AbortSignal.timeout(timeoutMs)
  const signal = call.signal ? AbortSignal.any([call.signal, silence]) : silence
  const body = call.text ?? (call.json === undefined ? null : JSON.stringify(call.json))
  const request = { method: call.method, headers: headersOf(line, call), body, signal, redirect: 'manual' as const }
  const response = await fetch(new URL(call.path, line.origin), request).catch((error: unknown) => {
    throw new Unreachable(reasonOf(error), { cause: error })
  })
  if (response.status >= 300 && response.status !== 304) throw await refusalOf(response, line.bounds ?? pollBounds)
  line.onDate?.(Date.parse(response.headers.get('date') ?? ''))
  return response
}

export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error && error.message === 'fetch failed' ? cause.message || cause.name : error.message
}

/** One call whose answer says nothing. */
export const sendReport = async (line: Connection, call: Call): Promise<void> => dropBody(await send(line, call))

export const ask = async <T, S>(line: Connection, call: Call, answer: Struct<T, S>): Promise<T> => {
  const response = await send(line, call)
  const body = await readJson(response).catch((error: unknown) => {
    throw new Unreachable(`The answer to ${call.path} cannot be read: ${reasonOf(error)}`)
  })
  if (!is(body, answer)) throw new Unreachable(`The answer to ${call.path} has another form than agreed`)
  return body
}
