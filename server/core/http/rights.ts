import type { FieldError } from '../../../contract/core/field-errors'
import type { Tx } from '../database/tx'
import type { Loaders, ResolveScope } from './scope'

/** Unique index to field error: a violation of the index is answered as 422 of that field. */
export type Uniques = ReadonlyMap<string, FieldError>

/** What the core needs of the domains to authorize requests and to explain conflicts. */
export type Rights = Readonly<{
  /** Resolves the scope of a request and the caller's rights in it. */
  resolveScope: ResolveScope
  loaders: Loaders
  uniques: Uniques
  /** Whether a user could free disk space: they get the notice that it is low (F-19). */
  mayFreeSpace: (tx: Tx, userId: string) => Promise<boolean>
}>
