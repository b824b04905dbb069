import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { sql } from 'drizzle-orm'
import { ulid } from 'ulid'
import { maxBodyBytes } from '../../contract/limits'
import type { Deps } from '../deps'
import type { Api } from './api'
import { takeBodies } from './bodies'
import { serveProbes } from './drain'
import { answerErrors } from './errors'
import { guardFront } from './front'
import { notFound, refuse } from './refuse'
import { limitTimes, timeLimits } from './time-limits'
import { settleUnreadBodies } from './unread-bodies'

const requestId = (header: string | string[] | undefined) =>
  typeof header === 'string' && /^[\w-]{8,64}$/.test(header) ? header : ulid()

const logEnds = (app: FastifyInstance) =>
  app.addHook('onResponse', async (request, reply) => {
    const actor = request.admitted?.actor
    request.log.info({
      request_id: request.id,
      method: request.method,
      route: request.routeOptions.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      actor: actor && 'id' in actor ? `${actor.kind}:${actor.id}` : undefined,
    })
  })

/** An API host without a room yet. */
export const createApi = (deps: Deps): Api => {
  // The logger's own type is of no use to the rooms.
  const loggerInstance: FastifyBaseLogger = deps.log
  const app: FastifyInstance = Fastify({
    loggerInstance,
    // One line at the end of each request instead, below.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: maxBodyBytes,
    // T-32: the address of the socket counts, whatever a header claims, unless the socket is a proxy of the configuration.
    trustProxy: deps.config.trustedProxies,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    keepAliveTimeout: timeLimits.idle,
    http: { headersTimeout: timeLimits.headers, requestTimeout: 0, connectionsCheckingInterval: 5000 },
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => answerErrors(api)(error, request, reply),
  })
  const api: Api = { app, deps, served: new Set(), places: new Map(), bearers: {}, uniques: new Map(), pending: new Set() }
  for (const name of ['admitted', 'actor', 'refusal'] as const) app.decorateRequest(name, undefined)
  app.addHook('onClose', async () => void (await Promise.all(api.pending)))
  app.setErrorHandler(answerErrors(api))
  guardFront(app, deps)
  serveProbes(app, () => deps.db.execute(sql`select 1`).catch(() => refuse(503, 'unavailable', { retryAfterS: 2 })))
  limitTimes(app)
  app.addHook('onSend', settleUnreadBodies)
  takeBodies(app)
  logEnds(app)
  app.setNotFoundHandler(async () => notFound())
  return api
}
