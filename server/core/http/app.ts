import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { ping } from '../database/ping'
import { nextRequestId } from '../ids'
import { maxBodyBytes } from '../../../contract/core/limits'
import type { Deps } from '../deps'
import { measureRequests } from '../metrics/metrics'
import { watchFreeSpace } from '../storage/free-space'
import { hasTokenForm } from '../tokens/token'
import { traceRequests } from '../tracing/trace'
import type { Api } from './api'
import { createBadTokens } from './bad-tokens'
import { registerBodyParsers } from './bodies'
import { createConnections, earlyRefusals, type EarlyStatus } from './connections'
import { serveProbes } from './drain'
import { createErrorHandler, toErrorBody } from './error-handler'
import { apiHeaders, registerSecurityHooks, openHead } from './security-hooks'
import { createRateCounts } from './rates'
import { notFound, Refusal, refuse } from './refuse'
import type { Rights } from './rights'
import { limitTimes } from './time-limits'
import { settleUnreadBodies } from './unread-bodies'

// Ids are stored and logged: a token that was sent in the wrong header must not be.
const requestId = (header: string | string[] | undefined) =>
  typeof header === 'string' && /^[\w-]{8,64}$/.test(header) && !hasTokenForm(header) ? header : nextRequestId()

const logEnds = (app: FastifyInstance) =>
  app.addHook('onResponse', async (request, reply) => {
    const actor = request.admitted?.actor
    request.log.info({
      request_id: request.id,
      method: request.method,
      route: request.routeOptions.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      ip: request.ip.slice(0, 64),
      actor: actor && 'id' in actor ? `${actor.kind}:${actor.id}` : undefined,
    })
  })

const toEarlyBody = (status: EarlyStatus, requestId: string) => {
  const { code, message } = earlyRefusals[status]
  return {
    type: 'application/json; charset=utf-8',
    text: JSON.stringify(toErrorBody(new Refusal(status, code, { message }), requestId)),
  }
}

/** An API host without routes. */
export const createApi = (deps: Deps, rights: Rights): Api => {
  // Route modules need only Fastify's logger type.
  const loggerInstance: FastifyBaseLogger = deps.log
  const { log, config, timeLimits: limits } = deps
  const {
    late,
    limits: times,
    ...connections
  } = createConnections({ log, headers: apiHeaders(config), body: toEarlyBody, limits })
  const writeHead = openHead(config)
  const handleError = createErrorHandler(rights.uniques)
  const app: FastifyInstance = Fastify({
    loggerInstance,
    ...connections,
    // One line at the end of each request is logged below instead.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: maxBodyBytes,
    // T-32: the socket's address counts, whatever a header claims, unless the socket is a configured proxy.
    trustProxy: deps.config.trustedProxies,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    return503OnClosing: false,
    // Hooks do not run for a URL that cannot be parsed.
    frameworkErrors: (error, request, reply) => {
      writeHead(request, reply)
      handleError(error, request, reply)
    },
  })
  const lookUp = createBadTokens(deps, rights.issuedTokens)
  const api: Api = {
    app,
    deps,
    rights,
    served: new Set(),
    freeSpace: watchFreeSpace(deps),
    lookUp,
    findController: rights.createControllerFinder({ deps, lookUp }),
    countRequest: createRateCounts(deps.db),
    pending: new Set(),
  }
  for (const name of ['admitted', 'actor', 'refusal'] as const) app.decorateRequest(name, undefined)
  app.addHook('onClose', async () => void (await Promise.all(api.pending)))
  app.setErrorHandler(handleError)
  traceRequests(app, deps.spans)
  measureRequests(app, deps.metrics)
  registerSecurityHooks(app, deps, writeHead)
  serveProbes(app, () => ping(deps.db).catch(() => refuse(503, 'unavailable', { retryAfterS: 2 })))
  limitTimes(app, late, times)
  app.addHook('onSend', settleUnreadBodies)
  registerBodyParsers(app)
  logEnds(app)
  app.setNotFoundHandler(async () => notFound())
  return api
}
