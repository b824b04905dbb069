import type { FastifyInstance } from 'fastify'
import { type AnswerOf, type BodyOf, type Endpoint, type ParamsOf, pathOf, type QueryOf } from '../../contract/core/endpoint'
import { sessionHeader } from '../../contract/accounts/sessions'

type Options<E extends Endpoint> = {
  as: string
  body?: BodyOf<E>
  query?: QueryOf<E>
  /** The revision that is being changed. */
  revision?: number
}

export type ApiCaller = <E extends Endpoint>(endpoint: E, params: ParamsOf<E>, options: Options<E>) => Promise<AnswerOf<E>>

/** Calls the API as the console does, without a socket: the demo's data passes all validation. */
export const asker =
  (app: FastifyInstance, host: string): ApiCaller =>
  async (endpoint, params, { as, body, query, revision }) => {
    const answer = await app.inject({
      method: endpoint.method,
      url: pathOf(endpoint.path, params),
      query: (query ?? {}) as Record<string, string>,
      ...(body !== undefined && { payload: JSON.stringify(body) }),
      headers: {
        host,
        [sessionHeader]: as,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(revision !== undefined && { 'if-match': `"${revision}"` }),
      },
    })
    if (answer.statusCode >= 400) throw new Error(`${endpoint.method} ${endpoint.path}: ${answer.statusCode} ${answer.payload}`)
    return JSON.parse(answer.payload || 'null')
  }
