import type { FastifyInstance } from 'fastify'
import type { Endpoint, Noun } from '../../../contract/core/endpoint'
import type { FieldError } from '../../../contract/core/field-errors'
import type { Tx } from '../database/tx'
import type { Deps } from '../deps'
import type { DeviceActor, EnrollmentActor, FindActor, FindController, FindSessionUser, FindTokenUser } from './actors'
import type { FreeSpace } from '../storage/free-space'
import type { createBadTokens, IssuedTokens } from './bad-tokens'
import type { createRateCounts } from './rates'
import type { Loader, ResolveScope } from './scope'

/** What the route modules need to register their routes. */
export type Api = {
  app: FastifyInstance
  deps: Deps
  /** The endpoints registered so far; `buildApi` compares them with the contract (T-02). */
  served: Set<Endpoint>
  /** Finds the project, organization or owner of an object from its id alone. */
  places: Map<Noun, Loader>
  freeSpace: FreeSpace
  /** Finds the caller by the token of each kind; set by the domains. */
  findActor: {
    session?: FindSessionUser
    accessToken?: FindTokenUser
    device?: FindActor<DeviceActor>
    enrollment?: FindActor<EnrollmentActor>
    controller?: FindController
  }
  /** Finds the device that calls one endpoint, with what that endpoint reads of it. */
  findCallerOf: Map<Endpoint, FindActor<DeviceActor>>
  /** The valid tokens of each kind, for the limit for invalid ones; set by the domains. */
  issuedTokens: IssuedTokens
  /** Whether a user could free disk space: they get the notice that it is low (F-19). Set by the accounts domain. */
  mayFreeSpace: (tx: Tx, userId: string) => Promise<boolean>
  /** Resolves the scope of a request and the caller's rights in it; set by the accounts domain. */
  resolveScope: ResolveScope
  /** Looks a token up, within the limit for invalid tokens. */
  lookUp: ReturnType<typeof createBadTokens>
  /** Counts a request towards its limit per minute. */
  countRequest: ReturnType<typeof createRateCounts>
  /** Unique index to field error: a violation of the index is answered as 422 of that field. */
  uniques: Map<string, FieldError>
  /** Writes that continue after their answer was sent; the host waits for them when it closes. */
  pending: Set<Promise<unknown>>
}
