import type { FastifyInstance } from 'fastify'
import { refuse } from './refuse'

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether this host is about to close: it still answers, but asks clients and proxies to use another host. */
    draining: boolean
  }
}

/**
 * Serves `/healthz` and `/readyz`. A draining host is not ready, and each answer closes its connection: when the host stops
 * listening, proxies have switched and no client sends on a closing connection.
 */
export const serveProbes = (app: FastifyInstance, check: () => Promise<unknown> = async () => {}): void => {
  app.decorate('draining', false)
  app.addHook('onRequest', async (_request, reply) => {
    if (app.draining) reply.raw.shouldKeepAlive = false
  })
  app.addHook('onSend', async (_request, reply) => {
    if (app.draining) reply.raw.shouldKeepAlive = false
  })
  app.get('/healthz', async (_request, reply) => reply.header('Cache-Control', 'no-store').send({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    if (app.draining) refuse(503, 'unavailable')
    await check()
    return reply.header('Cache-Control', 'no-store').send({ status: 'ready' })
  })
}
