import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Endpoint } from '../../../contract/core/endpoint'

/**
 * F-20, in milliseconds: `headers` until the headers of a request are received; `body` until the rest is, except where a body
 * may be long; `silence` of a connection, in either direction, during a request or its answer; `idle` between two requests;
 * `interval` between two checks of the headers.
 */
export type TimeLimits = { headers: number; body: number; silence: number; idle: number; interval: number }

export const timeLimits: TimeLimits = { headers: 10_000, body: 10_000, silence: 60_000, idle: 75_000, interval: 1000 }

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Uploads and batches of devices have no limit in total, only that of silence. */
    hasLongBody?: boolean
    /** The form of errors for DDI clients. */
    errors?: Endpoint['errors']
  }
  interface FastifyRequest {
    bodyTimer: NodeJS.Timeout | undefined
  }
}

const disarm = (request: FastifyRequest) => clearTimeout(request.bodyTimer)

/**
 * Ends requests whose body does not arrive in time by calling `late`. Headers, silence and idle connections are limited by the
 * server itself.
 */
export const limitTimes = (app: FastifyInstance, late: (request: FastifyRequest) => void, limits: TimeLimits): void => {
  app.decorateRequest('bodyTimer', undefined)
  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.config.hasLongBody) return
    request.bodyTimer = setTimeout(() => late(request), limits.body).unref()
  })
  app.addHook('preValidation', async (request) => disarm(request))
  app.addHook('onRequestAbort', async (request) => disarm(request))
  app.addHook('onResponse', async (request) => disarm(request))
}
