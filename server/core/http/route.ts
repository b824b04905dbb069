import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AnswerOf, Endpoint } from '../../../contract/core/endpoint'
import { endpoints } from '../../../contract/endpoints'
import type { Tx } from '../database/tx'
import { announceChange } from '../events/changes'
import { type Actor, authenticate, type DeviceActor, type FindActor } from './actors'
import type { Api } from './api'
import { record } from './audit'
import { checkNames } from '../unseen'
import { isEmpty, validate, nothing, readBody } from './bodies'
import { type Admitted, Call } from './call'
import type { DeviceWithFacts, TakeFacts } from './caller-facts'
import { retryRead, retryTransaction } from './database-errors'
import { recordDenial } from './denied'
import { sendCompactHead } from './compact-head'
import { authorize, checkParams } from './guard'
import { storeAnswer, findAnswer, retryOf } from './idempotency'
import { limit } from './rates'
import { requireSpace, addLowSpaceHeader } from './low-space'
import { Refusal, refuse } from './refuse'

export type Handler<E extends Endpoint> = (call: Call<E>) => Promise<AnswerOf<E>> | AnswerOf<E>
type Prepared<E extends Endpoint, P> = (call: Call<E>, prepared: P) => Promise<AnswerOf<E>> | AnswerOf<E>
/** Work that must not hold a transaction (hashing a password) or that a refusal must not undo. */
type Before<E extends Endpoint, P> = (call: Call<E>) => Promise<P>

declare module 'fastify' {
  interface FastifyRequest {
    admitted: Admitted | undefined
    /** The caller, known before authorization. */
    actor: Actor | undefined
    /** The refusal, if the request was refused. */
    refusal: Refusal | undefined
  }
}

const defaultStatus = ({ status, answer }: Endpoint) => status ?? (answer === 'none' ? 204 : 200)

const idOf = (actor: Actor) => (actor.kind === 'anonymous' ? 'anyone' : actor.kind === 'user' ? actor.credential.id : actor.id)

const has = <K extends string>(value: unknown, key: K): value is Record<K, unknown> =>
  typeof value === 'object' && value !== null && key in value

// Where the new object can be read: the contract's endpoint that reads one of its kind.
const locationOf = (endpoint: Endpoint, answer: unknown): string | undefined => {
  const kind = endpoint.path.split('/').at(-1) ?? ''
  const name = kind === 'organizations' ? 'public_id' : 'id'
  if (endpoint.status !== 201 || !has(answer, name) || typeof answer[name] !== 'string') return undefined
  const isOne = ({ method, path }: Endpoint) => method === 'GET' && new RegExp(`^/${kind}/:\\w+$`).test(path)
  return Object.values(endpoints).some(isOne) ? `/${kind}/${answer[name]}` : undefined
}

const describe = (reply: FastifyReply, endpoint: Endpoint, answer: unknown) => {
  if (has(answer, 'revision') && !reply.hasHeader('ETag')) reply.header('ETag', `"${String(answer.revision)}"`)
  const location = locationOf(endpoint, answer)
  if (location !== undefined && !reply.hasHeader('Location')) reply.header('Location', location)
}

const settle = async <E extends Endpoint>(call: Call<E>, endpoint: E, tx: Tx) => {
  const { audit, conditional, method, path, accepts } = endpoint
  if (conditional && !call.compared) throw new Error(`${method} ${path} did not compare the revision`)
  // T-20: exactly one entry if and only if the contract names an action. Binary bodies end in their own transactions.
  const expected = audit === 'none' || call.skipsAudit ? 0 : 1
  if (accepts !== 'bytes' && call.auditEvents.length !== expected)
    throw new Error(`${method} ${path} wrote ${call.auditEvents.length} audit entries, the contract says ${expected}`)
  const { actor, request, now, place } = call.given
  for (const deed of call.auditEvents) if (audit !== 'none') await record(tx, { actor, place, request, now, action: audit }, deed)
  if (call.auditEvents.length > 0 && place?.project) await announceChange(tx, place.project.id)
}

const kept = ['etag', 'location'] as const

const change = async <E extends Endpoint>(endpoint: E, handler: Handler<E>, call: Call<E>, actor: Actor) => {
  const { tx, request, reply, now } = call
  const retry = retryOf(request, idOf(actor))
  const before = retry && (await findAnswer(tx, retry, now))
  if (before) {
    reply.code(before.status).headers(before.headers)
    return before.body
  }
  const answer = await handler(call)
  await settle(call, endpoint, tx)
  describe(reply, endpoint, answer)
  if (retry) {
    const headers = Object.fromEntries(
      kept.flatMap((name) => (reply.hasHeader(name) ? [[name, String(reply.getHeader(name))]] : [])),
    )
    await storeAnswer(tx, retry, { status: reply.statusCode, body: answer, headers }, now)
  }
  return answer
}

type Read<E extends Endpoint> = Pick<Call<E>['given'], 'params' | 'query' | 'body'>

const read = <E extends Endpoint>(endpoint: E, request: FastifyRequest, raw: unknown): Read<E> => {
  const { body, accepts = 'json' } = endpoint
  const parts = {
    params: request.params,
    query: endpoint.query === undefined && isEmpty(request.query) ? {} : validate(request.query, endpoint.query ?? nothing),
    body: body !== undefined || accepts === 'json' ? validate(raw, body ?? nothing) : undefined,
  }
  // A device cannot change what it is called.
  const unseen = ['device', 'enrollment'].includes(endpoint.needs.kind) ? undefined : checkNames(parts.body)
  if (unseen) refuse(422, 'invalid', { details: unseen })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the structs return exactly the types of the contract
  return parts as Read<E>
}

/** An answer found without a transaction, by reads or by one statement that may run twice; undefined if the handler has to give it. */
type Shortcut<E extends Endpoint> = (call: Call<E>) => Promise<AnswerOf<E> | undefined>

type Opened<E extends Endpoint, P> = {
  endpoint: E
  handler: Prepared<E, P>
  before: Before<E, P>
  shortcut?: Shortcut<E> | undefined
  /** Whether a replica may answer. */
  bearsLag?: boolean
  findDevice?: FindActor<DeviceActor>
}

const answerOf = async <E extends Endpoint, P>(
  api: Api,
  { endpoint, handler, before, shortcut, bearsLag }: Opened<E, P>,
  request: FastifyRequest,
  reply: FastifyReply,
) => {
  const { db } = api.deps
  const { actor, place } = request.admitted ?? refuse(500, 'internal')
  if (endpoint.conditional && request.headers['if-match'] === undefined) refuse(428, 'revision_required')
  const raw = await readBody(endpoint, request)
  const given = {
    endpoint,
    actor,
    place,
    request,
    reply,
    raw,
    deps: api.deps,
    now: api.deps.clock(),
    ...read(endpoint, request, raw),
  }
  const prepared = await before(new Call<E>({ ...given, tx: db }))
  const work: Handler<E> = (call) => handler(call, prepared)
  const bare = () => work(new Call<E>({ ...given, tx: db }))
  // Whatever the replica fails at is answered by the primary: it may also lack an object that is new.
  const readReplica = async () => {
    const replica = bearsLag ? api.deps.findReplica?.() : undefined
    if (!replica) return bare()
    return Promise.resolve(work(new Call<E>({ ...given, tx: replica }))).catch(() => bare())
  }
  reply.code(defaultStatus(endpoint))
  if (endpoint.accepts === 'bytes') return bare()
  if ((endpoint.method === 'GET' || endpoint.method === 'HEAD') && endpoint.audit === 'none') {
    const answer = await retryRead(readReplica)
    describe(reply, endpoint, answer)
    return answer
  }
  // The answer of a key is that of its first request.
  if (shortcut && request.headers['idempotency-key'] === undefined) {
    const answer = await retryRead(() => shortcut(new Call<E>({ ...given, tx: db })))
    if (answer !== undefined) return answer
  }
  const runAll = async (tasks: readonly (() => unknown)[]) => {
    for (const task of tasks) await task()
  }
  let call: Call<E> | undefined
  const answer = await retryTransaction(() => {
    reply.code(defaultStatus(endpoint)).removeHeader('ETag').removeHeader('Location')
    return db.transaction((tx) => {
      call = new Call<E>({ ...given, tx })
      return change(endpoint, work, call, actor)
    })
  }).catch(async (error: unknown) => {
    if (call && error instanceof Refusal) await runAll(call.refusalTasks)
    throw error
  })
  if (call) await runAll(call.tasks)
  return answer
}

/**
 * Registers one endpoint of the contract. Before the handler runs, the caller is authenticated and authorized, the rate limit
 * is counted, and path, query and body are validated. A change runs in one transaction with its audit entry and its stored
 * answer.
 */
export const route = <const E extends Endpoint>(api: Api, endpoint: E, handler: Handler<E>): void =>
  routeWithPreparation(api, endpoint, async () => undefined, handler)

/**
 * Like `route`, with work before the transaction whose result is passed to the handler: it holds no transaction, and a refusal
 * does not undo it.
 */
export const routeWithPreparation = <const E extends Endpoint, P>(
  api: Api,
  endpoint: E,
  before: Before<E, P>,
  handler: Prepared<E, P>,
): void => register(api, { endpoint, before, handler })

/** Like `route`, for requests that mostly need no transaction: `shortcut` answers those. */
export const routeWithShortcut = <const E extends Endpoint>(
  api: Api,
  endpoint: E,
  shortcut: Shortcut<E>,
  handler: Handler<E>,
): void => register(api, { endpoint, before: async () => undefined, handler, shortcut })

type WithFacts<E extends Endpoint, F> = {
  shortcut: (call: Call<E>, takeFacts: TakeFacts<F>) => ReturnType<Shortcut<E>>
  handler: (call: Call<E>, takeFacts: TakeFacts<F>) => ReturnType<Handler<E>>
}

/** Like `routeWithShortcut`, for a device of which more is read together with its token. */
export const routeWithFacts = <const E extends Endpoint, F>(
  api: Api,
  endpoint: E,
  findDevice: FindActor<DeviceWithFacts<F>>,
  { shortcut, handler }: WithFacts<E, F>,
): void => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every device that calls this endpoint was found by `findDevice`
  const takeFactsOf = ({ device }: Call<E>) => (device as DeviceWithFacts<F>).takeFacts
  register(api, {
    endpoint,
    findDevice,
    before: async () => undefined,
    shortcut: (call) => shortcut(call, takeFactsOf(call)),
    handler: (call) => handler(call, takeFactsOf(call)),
  })
}

/**
 * Like `route`, for reads of what only devices write: a replica may answer, with a lag. The caller is authenticated and authorized by
 * the primary.
 */
export const routeWithLag = <const E extends Endpoint>(api: Api, endpoint: E, handler: Handler<E>): void =>
  register(api, { endpoint, before: async () => undefined, handler, bearsLag: true })

const register = <const E extends Endpoint, P>(api: Api, opened: Opened<E, P>): void => {
  const { endpoint } = opened
  if (api.served.has(endpoint)) throw new Error(`${endpoint.method} ${endpoint.path} is served twice`)
  api.served.add(endpoint)
  const hasLongBody = endpoint.accepts === 'bytes' || endpoint.longBody === true
  api.app.route<{ Params: Record<string, string> }>({
    method: endpoint.method,
    url: endpoint.path,
    config: { hasLongBody, ...(endpoint.errors && { errors: endpoint.errors }) },
    ...(endpoint.errors && { onSend: sendCompactHead }),
    ...(endpoint.maxBytes !== undefined && { bodyLimit: endpoint.maxBytes }),
    onRequest: async (request, reply) => {
      request.admitted = await retryRead(async () => {
        const { params } = request
        const actor = await authenticate(api, endpoint, request, opened.findDevice)
        request.actor = actor
        await addLowSpaceHeader(api, actor, reply)
        await limit(api, endpoint, actor, request.ip, reply)
        checkParams(params)
        const place = await authorize(api, endpoint, actor, params)
        await requireSpace(api, endpoint, request)
        return { actor, place }
      })
    },
    handler: async (request, reply) => {
      const answer = await answerOf(api, opened, request, reply)
      // A streaming handler has already sent its answer.
      if (reply.sent || reply.raw.headersSent) return reply
      if (endpoint.answer === 'text') reply.type('text/plain; charset=utf-8')
      return reply.send(endpoint.answer === 'none' ? undefined : answer)
    },
    onError: async (request, _reply, error) => {
      if (error instanceof Refusal) request.refusal = error
    },
    // The refusal has been sent: recording it can neither delay it nor make it fail.
    onResponse: async (request) => {
      const written = recordDenial(api, endpoint, request).catch((error: unknown) =>
        request.log.warn({ err: error, request_id: request.id }, 'a denied action was not written into the audit log'),
      )
      api.pending.add(written)
      await written
      api.pending.delete(written)
    },
  })
}
