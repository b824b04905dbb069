import { type AnswerOf, type BodyOf, type Endpoint, type ParamsOf, pathOf } from '../../../contract/core/endpoint'
import { sessionHeader } from '../../../contract/accounts/sessions'

type Options<E extends Endpoint> = { as?: string; body?: BodyOf<E>; rows?: string; headers?: Record<string, string> }
type Answered<E extends Endpoint> = { status: number; body: AnswerOf<E>; headers: Headers; text: string }

const authorization = (token: string): Record<string, string> =>
  token.startsWith('ses_') ? { [sessionHeader]: token } : { authorization: `Bearer ${token}` }

/** One endpoint of the contract, called at a running host. */
const send = async <E extends Endpoint>(
  host: string,
  { method, path }: E,
  params: ParamsOf<E>,
  { as, body, rows, headers }: Options<E>,
): Promise<Answered<E>> => {
  const sent = rows ?? (body === undefined ? undefined : JSON.stringify(body))
  const type = rows === undefined ? 'application/json' : 'application/x-ndjson'
  const answer = await fetch(`${host}${pathOf(path, params)}`, {
    method,
    headers: { ...(as && authorization(as)), ...(sent !== undefined && { 'content-type': type }), ...headers },
    ...(sent !== undefined && { body: sent }),
  })
  const text = await answer.text()
  // The contract describes successful answers; refusals count by their status alone.
  const read = text.startsWith('{') ? (JSON.parse(text) as AnswerOf<E>) : (text as AnswerOf<E>)
  return { status: answer.status, body: read, headers: answer.headers, text }
}

export const call = async <E extends Endpoint>(host: string, endpoint: E, params: ParamsOf<E>, options: Options<E> = {}) => {
  const answered = await send(host, endpoint, params, options)
  if (answered.status >= 300) throw new Error(`${endpoint.method} ${endpoint.path}: ${answered.status} ${answered.text}`)
  return answered
}

export const statusOf = async <E extends Endpoint>(host: string, endpoint: E, params: ParamsOf<E>, options: Options<E> = {}) =>
  (await send(host, endpoint, params, options)).status
