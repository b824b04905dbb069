import type { Infer, Struct } from 'superstruct'
import type { AuditAction } from './audit-actions'
import type { Permission } from './permissions'

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The `:names` of a path, derived from its text, so that a misspelt parameter does not compile. */
type ParamName<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamName<`/${Rest}`>
  : P extends `${string}:${infer Name}`
    ? Name
    : never
type Params<P extends string> = { [N in ParamName<P>]: string }

/** The kind of object whose id leads to a project or organization (`/devices/:deviceId`). */
export type Noun =
  | 'device'
  | 'release'
  | 'asset'
  | 'rollout'
  | 'tag'
  | 'signing_key'
  | 'enrollment_token'
  | 'access_token'
  | 'webhook'
  | 'webhook_delivery'
  | 'session'
  | 'identity'
  | 'upload'
  | 'artifact_bundle'
  | 'bundle_artifact'
  | 'log_summary'
  | 'device_job'
  | 'notification'
  | 'saved_view'

/** How the server finds the organization or project of a request. */
export type ScopeSource = { from: 'path'; param: 'organizationId' | 'projectId' } | { from: 'object'; noun: Noun; param: string }

/** What a caller must be or have. The authorization matrix is generated from this. */
export type Needs =
  | { kind: 'public' }
  | { kind: 'session' }
  /** The object is the caller's own, or the caller has these permissions in its scope; `and`: its owner needs these too. */
  | { kind: 'self'; scope: ScopeSource; or?: readonly Permission[]; and?: readonly Permission[] }
  | { kind: 'permission'; all: readonly Permission[]; scope: ScopeSource }
  | { kind: 'enrollment' }
  | { kind: 'device' }
  /** A machine with an access token of a project. */
  | { kind: 'access_token' }
  /** A client of hawkBit's Direct Device Integration API, for the device that the path names. */
  | { kind: 'controller' }

/** Rate classes: requests per minute are configuration, the class is part of the contract. */
type RateClass = 'read' | 'write' | 'sign_in' | 'upload' | 'device' | 'controller' | 'unlimited'

// oxlint-disable-next-line typescript/no-explicit-any -- `unknown` would not take a struct of any schema
export type AnyStruct = Struct<any, any>

/** The body of the answer: JSON by a struct, none (204), or bytes and text without a struct. */
export type Answer = AnyStruct | 'none' | 'bytes' | 'text' | 'stream'
type BodyKind = 'json' | 'form' | 'ndjson' | 'rows' | 'bytes' | 'signed' | 'report'

type Definition<M extends Method, P extends string, Q, B, A> = {
  method: M
  path: P
  /** One plain sentence for people who read the contract. */
  summary: string
  needs: Needs
  /**
   * Whether an access token may call it. By default those that need permissions in a project do. `false` for what only people
   * may do there (tokens, keys, members); `true` for the objects that a session owns elsewhere.
   */
  tokens?: boolean
  audit: AuditAction | 'none'
  rate: RateClass
  query?: Q
  body?: B
  /**
   * Default `json`. `form` accepts url-encoded and multipart (R15); `signed` keeps the JSON unparsed until its signature is
   * verified; `report` keeps it because a client sends invalid JSON; `rows` are the bytes of CSV or NDJSON.
   */
  accepts?: BodyKind
  /** Limit of the whole body, if it is not the default of 1 MiB. */
  maxBytes?: number
  /** A large body over a slow connection is allowed: limited by silence only, not by 10 s in total. Implied by `bytes`. */
  longBody?: true
  /**
   * Whether it stores more than a few small rows at once: 507 `no_space` while free disk space is below its limit (F-19).
   * Without it a call works with a nearly full disk: people stop rollouts, devices report. Binary and NDJSON bodies and those
   * above 1 MiB must set it.
   */
  needsSpace?: boolean
  answer: A
  /** Default 200, or 204 for an answer of `none`. */
  status?: 200 | 201 | 202 | 204 | 302
  /** Creates an object (201), or answers 200 with the one that exists. */
  mayExist?: true
  /** Changes an object with a `revision`: `If-Match` is required (428) and compared (412). */
  conditional?: boolean
  /**
   * For DDI clients: errors in hawkBit's form, or as a status without a body, and only the headers that such a client needs.
   */
  errors?: 'ddi' | 'status'
}

type StructOrNone = AnyStruct | undefined
export type Endpoint<
  M extends Method = Method,
  P extends string = string,
  Q extends StructOrNone = StructOrNone,
  B extends StructOrNone = StructOrNone,
  A extends Answer = Answer,
> = Definition<M, P, Q, B, A>

export type QueryOf<E> = E extends { query?: infer Q } ? (Q extends AnyStruct ? Infer<Q> : undefined) : undefined
export type BodyOf<E> = E extends { body?: infer B } ? (B extends AnyStruct ? Infer<B> : undefined) : undefined
export type AnswerOf<E> = E extends { answer: infer A }
  ? A extends AnyStruct
    ? Infer<A>
    : A extends 'text'
      ? string
      : A extends 'none'
        ? void
        : unknown
  : never
export type ParamsOf<E> = E extends { path: infer P extends string } ? Params<P> : never

/**
 * One endpoint of the API host, as a value that types both ends: the console's `api(endpoint, params, …)` and the server's
 * `route(endpoint, handler)`. An endpoint without permissions, audit action and rate class does not compile.
 */
export const endpoint = <
  const M extends Method,
  const P extends `/${string}`,
  A extends Answer,
  Q extends StructOrNone = undefined,
  B extends StructOrNone = undefined,
>(
  definition: Definition<M, P, Q, B, A>,
): Endpoint<M, P, Q, B, A> => definition

export const inOrganization: ScopeSource = { from: 'path', param: 'organizationId' }
export const inProject: ScopeSource = { from: 'path', param: 'projectId' }
export const onObject = (noun: Noun, param: string): ScopeSource => ({ from: 'object', noun, param })

export const publicAccess: Needs = { kind: 'public' }
export const session: Needs = { kind: 'session' }
export const requires = (scope: ScopeSource, ...all: Permission[]): Needs => ({ kind: 'permission', all, scope })

const isOfProject = (scope: ScopeSource) => scope.from === 'object' || scope.param === 'projectId'

/** Whether an access token may call an endpoint, with the permissions that it needs. */
export const takesAccessToken = ({ needs, tokens }: Pick<Endpoint, 'needs' | 'tokens'>): boolean =>
  tokens ?? (needs.kind === 'access_token' || (needs.kind === 'permission' && isOfProject(needs.scope)))

/** Fills the `:names` of a path; values are encoded, so an id can never add a segment. */
export const pathOf = (path: string, params: Readonly<Record<string, string>> = {}): string =>
  path.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined) throw new Error(`${path} needs ${name}`)
    return encodeURIComponent(value)
  })
