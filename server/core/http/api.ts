import type { FastifyInstance } from 'fastify'
import type { Endpoint, Noun } from '../../../contract/endpoint'
import type { FieldError } from '../../../contract/rules'
import type { Deps } from '../deps'
import type { Bearer, DeviceActor, EnrollmentActor, SessionBearer } from './actors'
import type { FreeSpace } from '../storage/free-space'
import type { createBadTokens } from './bad-tokens'
import type { Loader, ResolveScope } from './places'

/** What the rooms are given to open their routes on. */
export type Api = {
  app: FastifyInstance
  deps: Deps
  /** What is served so far; `buildApi` compares it with the contract (T-02). */
  served: Set<Endpoint>
  /** How an object of a flat id leads to its project, organization or owner. */
  places: Map<Noun, Loader>
  freeSpace: FreeSpace
  bearers: { session?: SessionBearer; device?: Bearer<DeviceActor>; enrollment?: Bearer<EnrollmentActor> }
  /** Where a request happens and what its caller may do there; set by the domain of accounts. */
  resolveScope: ResolveScope
  /** Looks a token up, within the limit of tokens that are not good. */
  lookUp: ReturnType<typeof createBadTokens>
  /** A unique index and the field that it guards: its violation is a 422 of that field. */
  uniques: Map<string, FieldError>
  /** What is still being written after its answer was sent; the host closes when it is done. */
  pending: Set<Promise<unknown>>
}
