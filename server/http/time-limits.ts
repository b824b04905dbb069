import { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** F-20, in milliseconds. */
export const timeLimits = { headers: 10_000, request: 120_000, idle: 75_000, silence: 60_000 }

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Uploads, downloads and event streams have no limit in all, only one of silence. */
    streams?: boolean
  }
  interface FastifyRequest {
    bodyTimer: NodeJS.Timeout | undefined
  }
}

const disarm = (request: FastifyRequest) => clearTimeout(request.bodyTimer)

/** Ends requests whose body does not arrive in time. Headers and idle connections are limited by the server itself. */
export const limitTimes = (app: FastifyInstance): void => {
  app.decorateRequest('bodyTimer', undefined)
  app.addHook('onRequest', async (request) => {
    const { socket } = request.raw
    if (request.routeOptions.config.streams) {
      // A request that is injected has no socket that could fall silent.
      if (socket instanceof Socket) socket.setTimeout(timeLimits.silence, () => socket.destroy())
      return
    }
    request.bodyTimer = setTimeout(() => request.raw.destroy(), timeLimits.request).unref()
  })
  app.addHook('preValidation', async (request) => disarm(request))
  app.addHook('onRequestAbort', async (request) => disarm(request))
  app.addHook('onResponse', async (request) => {
    disarm(request)
    const { socket } = request.raw
    if (request.routeOptions.config.streams && socket instanceof Socket) socket.setTimeout(0).removeAllListeners('timeout')
  })
}
