import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { lowSpaceHeader } from '../../../contract/core/limits'
import type { Config } from '../config'
import type { Deps } from '../deps'
import { allowedHosts, consoleOrigins, ddiHosts, strictTransport } from './origins'
import { checkHost } from './check-host'
import { refuse } from './refuse'

const methods = 'GET, POST, PUT, PATCH, DELETE, HEAD'
const allowed =
  'X-Session-Token, Authorization, Content-Type, If-Match, Idempotency-Key, Last-Event-ID, Range, X-Request-Id, Tus-Resumable, Upload-Offset, Upload-Length, Upload-Metadata, Upload-Defer-Length'
const exposed = `ETag, Location, X-Request-Id, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Tus-Resumable, Upload-Offset, Upload-Length, Upload-Expires, ${lowSpaceHeader}`

/** The headers of every answer of the API host, refusals included (T-22). */
export const apiHeaders = (config: Config): Record<string, string> => ({
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-site',
  ...(!config.loopbackOnly && strictTransport),
})

const safe = new Set(['GET', 'HEAD'])

export type WriteHead = (request: FastifyRequest, reply: FastifyReply) => void

/** Writes the headers of every answer, and the CORS headers for the console. */
export const openHead = (config: Config): WriteHead => {
  const headers = apiHeaders(config)
  const origins = consoleOrigins(config)
  return ({ id, headers: { origin } }, reply) => {
    reply.headers(headers).header('X-Request-Id', id)
    if (origin === undefined) return
    reply.header('Vary', 'Origin')
    if (origins.has(origin)) reply.headers({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': exposed })
  }
}

/** Sets the headers of every answer; admits requests by host name and by exact origin (T-14). */
export const registerSecurityHooks = (app: FastifyInstance, { config }: Deps, writeHead: WriteHead): void => {
  const hosts = allowedHosts(config, 'api')
  const hostsWithDdi = new Set([...hosts, ...ddiHosts(config)])
  const origins = consoleOrigins(config)

  app.addHook('onRequest', async (request, reply) => {
    writeHead(request, reply)
    checkHost(request, request.routeOptions.config?.errors === undefined ? hosts : hostsWithDdi)
    const { origin } = request.headers
    if (origin !== undefined && !origins.has(origin) && !safe.has(request.method))
      refuse(403, 'origin_refused', { message: 'This origin may not call the API' })
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
