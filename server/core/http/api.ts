import type { FastifyInstance } from 'fastify'
import type { Endpoint } from '../../../contract/core/endpoint'
import type { Deps } from '../deps'
import type { FindController } from './actors'
import type { FreeSpace } from '../storage/free-space'
import type { createBadTokens } from './bad-tokens'
import type { createRateCounts } from './rates'
import type { Rights } from './rights'

/** What the route modules need to register their routes. */
export type Api = Readonly<{
  app: FastifyInstance
  deps: Deps
  rights: Rights
  /** The endpoints registered so far; `buildApi` compares them with the contract (T-02). */
  served: Set<Endpoint>
  freeSpace: FreeSpace
  /** Looks a token up, within the limit for invalid tokens. */
  lookUp: ReturnType<typeof createBadTokens>
  findController: FindController
  /** Counts a request towards its limit per minute. */
  countRequest: ReturnType<typeof createRateCounts>
  /** Writes that continue after their answer was sent; the host waits for them when it closes. */
  pending: Set<Promise<unknown>>
}>
