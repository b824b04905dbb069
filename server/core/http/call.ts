import type { FastifyReply, FastifyRequest } from 'fastify'
import type { BodyOf, Endpoint, ParamsOf, QueryOf } from '../../../contract/core/endpoint'
import type { Grants } from '../../../contract/core/permissions'
import type { Tx } from '../database/tx'
import type { Deps } from '../deps'
import type { Actor, DeviceActor, EnrollmentActor, SessionCredential, User } from './actors'
import type { AuditEvent } from './audit'
import type { OrganizationScope, RequestScope, ProjectScope } from './scope'
import { refuse } from './refuse'

/** What is known about a request before its body is read. */
export type Admitted = { actor: Actor; place: RequestScope | null }

type Given<E extends Endpoint> = Admitted & {
  endpoint: E
  params: ParamsOf<E>
  query: QueryOf<E>
  body: BodyOf<E>
  /** The bytes of an NDJSON or signed body; the stream of a binary body. */
  raw: unknown
  tx: Tx
  deps: Deps
  now: Date
  request: FastifyRequest
  reply: FastifyReply
}

/** One request as a handler sees it: validated, authorized, and in its transaction. */
export class Call<E extends Endpoint> {
  readonly auditEvents: AuditEvent[] = []
  readonly tasks: (() => unknown)[] = []
  readonly refusalTasks: (() => unknown)[] = []
  skipsAudit = false
  compared = false
  readonly given: Given<E>

  constructor(given: Given<E>) {
    this.given = given
  }

  get params() {
    return this.given.params
  }
  get query() {
    return this.given.query
  }
  get body() {
    return this.given.body
  }
  get raw() {
    return this.given.raw
  }
  /** The transaction of a change; the pool for reads and for binary bodies. */
  get tx() {
    return this.given.tx
  }
  get deps() {
    return this.given.deps
  }
  get now() {
    return this.given.now
  }
  get request() {
    return this.given.request
  }
  get reply() {
    return this.given.reply
  }
  get actor() {
    return this.given.actor
  }

  get user(): User {
    return this.given.actor.kind === 'user' ? this.given.actor : this.#absent('user')
  }
  /** The session of the caller, at endpoints that take no access token. */
  get session(): SessionCredential {
    return this.user.credential.kind === 'session' ? this.user.credential : this.#absent('session')
  }
  get device(): DeviceActor {
    return this.given.actor.kind === 'device' ? this.given.actor : this.#absent('device')
  }
  get enrollment(): EnrollmentActor {
    return this.given.actor.kind === 'enrollment' ? this.given.actor : this.#absent('enrollment token')
  }
  get place(): RequestScope {
    return this.given.place ?? this.#absent('place')
  }
  get project(): ProjectScope {
    return this.place.project ?? this.#absent('project')
  }
  get organization(): OrganizationScope {
    return this.place.organization ?? this.#absent('organization')
  }
  get grants(): Grants {
    return this.place.grants
  }

  /** Adds what was done to the audit log, once; the core adds actor, time and address in the same transaction. */
  audit = (deed: AuditEvent): void => {
    this.auditEvents.push(deed)
  }

  /** Runs a task after the commit, such as sending the mail that the change has stored. */
  afterCommit = (task: () => unknown): void => {
    this.tasks.push(task)
  }

  /**
   * Runs a task after a refusal has undone the transaction, such as recording the attempt. Within it, the task would hold a second
   * connection: requests that wait for each other's rows could then hold all of them.
   */
  afterRefusal = (task: () => unknown): void => {
    this.refusalTasks.push(task)
  }

  /** For a success that changed nothing, such as signing out twice: no audit entry. */
  skipAudit = (): void => {
    this.skipsAudit = true
  }

  /**
   * F-23: compares `If-Match` with the current object, under the lock of the change; throws 412 with the object if they differ.
   */
  checkRevision = (current: { revision: number }): void => {
    this.compared = true
    const named = /^"(\d{1,15})"$/.exec(this.given.request.headers['if-match'] ?? '')?.[1]
    if (named === undefined || Number(named) !== current.revision) refuse(412, 'stale_revision', { about: { current } })
  }

  #absent(what: string): never {
    const { method, path } = this.given.endpoint
    throw new Error(`${method} ${path} has no ${what}: its permissions do not name one`)
  }
}
