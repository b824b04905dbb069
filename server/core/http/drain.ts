import type { FastifyInstance } from 'fastify'
import { refuse } from './refuse'

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether this host is about to close: it answers, and asks its clients and its proxy to go elsewhere. */
    draining: boolean
  }
}

/**
 * Serves `/healthz` and `/readyz`. Once the host drains it is not ready, and each answer ends its connection: when it stops to
 * listen, proxies have looked elsewhere and no client is about to send on a connection that closes.
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
