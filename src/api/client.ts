import { type FetchResponse, ofetch } from 'ofetch'
import { validate } from 'superstruct'
import { type AnswerOf, type BodyOf, type Endpoint, type ParamsOf, pathOf, type QueryOf } from '../../contract/core/endpoint'
import { sessionHeader, tagOf } from '../../contract/accounts/sessions'
import { misread, refused, unanswered } from './failure'

/** The chart that handles the refusals of a call (§7: "a custom handler takes over"). */
export type HandledBy = 'organization'
/** A 401, 403 or 404, reported once for queries, mutations, uploads and streams. */
export type Refusal = {
  status: number
  /** The six check characters of the token used for the call; never the token. */
  sessionTag: string | null
  handledBy: HandledBy | undefined
  organizationId: string | undefined
}

type Common = {
  signal?: AbortSignal | undefined
  ifMatch?: number
  idempotencyKey?: string
  handledBy?: HandledBy | undefined
  /** The body of an endpoint that accepts rows; its type is the content type. */
  rows?: Blob
}
type WithQuery<E> = [QueryOf<E>] extends [undefined] ? unknown : { query?: QueryOf<E> }
type WithBody<E> = [BodyOf<E>] extends [undefined] ? unknown : { body: BodyOf<E> }
type CallOptions<E> = Common & WithQuery<E> & WithBody<E>

type AnyOptions = Common & { query?: Query; body?: unknown }
type Rest<E> = [BodyOf<E>] extends [undefined] ? [options?: CallOptions<E>] : [options: CallOptions<E>]
type Arguments<E> = keyof ParamsOf<E> extends never ? [params?: ParamsOf<E>, ...Rest<E>] : [params: ParamsOf<E>, ...Rest<E>]

/** One call of the API host: `api(endpoint, params, { query, body, … })`. Rejects only with an `ApiError`. */
export type Api = <E extends Endpoint>(endpoint: E, ...rest: Arguments<E>) => Promise<AnswerOf<E>>

type Parts = {
  /** Origin of the API host, without a trailing slash. */
  base: string
  token: () => string | null
  onRefused: (refusal: Refusal) => void
  /** Called with the headers of every answer to a call with a session. */
  onAnswered?: (headers: Headers) => void
}

/** Time limits of calls: reads end after 15 s, changes after 30 s; a whole file may take longer. */
const limits = { read: 15_000, write: 30_000, bytes: 600_000 } as const
const limitOf = ({ method, answer, longBody }: Endpoint) =>
  answer === 'bytes' || longBody ? limits.bytes : method === 'GET' ? limits.read : limits.write

type Scalar = string | number | boolean | null | undefined
type Query = Readonly<Record<string, Scalar | readonly Scalar[]>>
export const searchOf = (query: Query | undefined) => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {}))
    for (const one of [value].flat()) if (one !== undefined && one !== null) search.append(name, String(one))
  return search.size > 0 ? `?${search}` : ''
}

// R15: "form-encoded" is url-encoded here; the server accepts both. §7: with a file among its values it is multipart form-data,
// built from the same key/value object.
const encoded = (endpoint: Endpoint, body: unknown): BodyInit | undefined => {
  if (body === undefined) return undefined
  if (endpoint.accepts !== 'form') return JSON.stringify(body)
  const values = Object.entries(body as Record<string, unknown>)
  if (!values.some(([, value]) => value instanceof Blob))
    return new URLSearchParams(values.map(([name, value]) => [name, String(value)]))
  const data = new FormData()
  for (const [name, value] of values) data.set(name, value instanceof Blob ? value : String(value))
  return data
}

const headersOf = (endpoint: Endpoint, token: string | null, { ifMatch, idempotencyKey }: Common, body: unknown) => ({
  ...(token !== null && { [sessionHeader]: token }),
  ...(ifMatch !== undefined && { 'If-Match': `"${ifMatch}"` }),
  ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
  ...(typeof body === 'string' && endpoint.accepts !== 'form' && { 'Content-Type': 'application/json' }),
})

const responseTypeOf = (endpoint: Endpoint) =>
  endpoint.answer === 'bytes' ? 'arrayBuffer' : endpoint.answer === 'text' ? 'text' : 'json'

export const createApi = ({ base, token, onRefused, onAnswered }: Parts): Api => {
  const call = async (endpoint: Endpoint, params: Record<string, string> = {}, options: AnyOptions = {}) => {
    const held = token()
    const limit = AbortSignal.timeout(limitOf(endpoint))
    const body = options.rows ?? encoded(endpoint, options.body)
    const path = `${base}${pathOf(endpoint.path, params)}${searchOf(options.query)}`
    const responseType = responseTypeOf(endpoint)
    let response: FetchResponse<unknown>
    try {
      response = await ofetch.raw(path, {
        method: endpoint.method,
        headers: headersOf(endpoint, held, options, body),
        body: body ?? null,
        retry: false,
        credentials: 'omit',
        ignoreResponseError: true,
        // A refusal is JSON, whatever type a successful answer would have.
        responseType: responseType === 'json' ? undefined : 'blob',
        signal: options.signal ? AbortSignal.any([options.signal, limit]) : limit,
      })
    } catch (cause) {
      // A call aborted by its own caller has not failed.
      if (options.signal?.aborted) throw cause
      throw unanswered(limit.aborted ? 'timeout' : 'network_error', cause)
    }
    if (held !== null) onAnswered?.(response.headers)
    if (response.status >= 400) {
      const { handledBy } = options
      if ([401, 403, 404].includes(response.status))
        onRefused({
          status: response.status,
          sessionTag: held === null ? null : tagOf(held),
          handledBy,
          organizationId: params.organizationId,
        })
      throw refused(response, await bodyOf(response))
    }
    if (typeof endpoint.answer === 'string') return plain(endpoint.answer, response)
    // Returns the answer unchanged: extra fields of a newer server stay, and nothing is copied.
    const [error] = validate(response._data, endpoint.answer)
    if (error) throw misread(response, error)
    return response._data
  }
  return call as Api // the only cast from a generic call to the contract's types
}

const bodyOf = async (response: FetchResponse<unknown>): Promise<unknown> => {
  if (!(response._data instanceof Blob)) return response._data
  try {
    return JSON.parse(await response._data.text())
  } catch {
    return undefined
  }
}

const plain = async (kind: string, { _data: data }: FetchResponse<unknown>) => {
  if (kind === 'none') return undefined
  if (!(data instanceof Blob)) return data
  return kind === 'text' ? data.text() : data.arrayBuffer()
}
