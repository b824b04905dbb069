import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps'
import { allowedHosts, consoleOrigins, strictTransport } from '../origins'
import { refuse } from './refuse'

const methods = 'GET, POST, PUT, PATCH, DELETE, HEAD'
const allowed =
  'X-Session-Token, Authorization, Content-Type, If-Match, Idempotency-Key, Last-Event-ID, Range, X-Request-Id, Tus-Resumable, Upload-Offset, Upload-Length, Upload-Metadata, Upload-Defer-Length'
const exposed =
  'ETag, Location, X-Request-Id, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Tus-Resumable, Upload-Offset, Upload-Length, Upload-Expires'

const always = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-site',
}

const safe = new Set(['GET', 'HEAD'])
/** Probes come by address, not by name. */
const probes = new Set(['/healthz', '/readyz'])

/** What every answer carries, and who is let in at all: hosts by name, origins by exact comparison (T-14). */
export const guardFront = (app: FastifyInstance, { config }: Deps): void => {
  const hosts = allowedHosts(config, 'api')
  const origins = consoleOrigins(config)

  app.addHook('onRequest', async (request, reply) => {
    reply.headers(always).header('X-Request-Id', request.id)
    if (!config.loopbackOnly) reply.headers(strictTransport)
    const { origin, host = '' } = request.headers
    if (!probes.has(request.url) && !hosts.has(host.toLowerCase()))
      refuse(421, 'unknown_host', { message: 'This host does not answer to that name' })
    if (origin === undefined) return
    reply.header('Vary', 'Origin')
    if (origins.has(origin)) reply.headers({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': exposed })
    else if (!safe.has(request.method)) refuse(403, 'origin_refused', { message: 'This origin may not call the API' })
  })

  app.options('/*', async (request, reply) => {
    if (request.headers['access-control-request-method'] !== undefined)
      reply.headers({
        'Access-Control-Allow-Methods': methods,
        'Access-Control-Allow-Headers': allowed,
        'Access-Control-Max-Age': '7200',
      })
    return reply.code(204).send()
  })
}
