import type { FieldError } from '../../../contract/core/field-errors'
import type { Tx } from '../database/tx'
import type { DeviceActor, EnrollmentActor, FindActor, FindController, FindSessionUser, FindTokenUser } from './actors'
import type { Api } from './api'
import type { IssuedTokens } from './bad-tokens'
import type { Loaders, ResolveScope } from './scope'

/** Unique index to field error: a violation of the index is answered as 422 of that field. */
export type Uniques = ReadonlyMap<string, FieldError>

/** What the core needs of the domains to authenticate and authorize requests and to explain conflicts. */
export type Rights = Readonly<{
  /** Finds the caller by the token of each kind. */
  findActor: Readonly<{
    session: FindSessionUser
    accessToken: FindTokenUser
    device: FindActor<DeviceActor>
    enrollment: FindActor<EnrollmentActor>
  }>
  /** Finds the device of a DDI client, within the limit for invalid tokens. */
  createControllerFinder: (api: Pick<Api, 'deps' | 'lookUp'>) => FindController
  /** The valid tokens of each kind, for that limit. */
  issuedTokens: IssuedTokens
  /** Resolves the scope of a request and the caller's rights in it. */
  resolveScope: ResolveScope
  loaders: Loaders
  uniques: Uniques
  /** Whether a user could free disk space: they get the notice that it is low (F-19). */
  mayFreeSpace: (tx: Tx, userId: string) => Promise<boolean>
}>
