import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import type { Config } from './core/config'
import { consoleHeaders } from './console/headers'
import { hasSeveralHosts } from './core/http/check-host'
import { createConnections } from './core/http/connections'
import { serveProbes } from './core/http/drain'
import { Refusal } from './core/http/refuse'
import { limitTimes, type TimeLimits } from './core/http/time-limits'
import { settleUnreadBodies } from './core/http/unread-bodies'
import type { Measuring } from './core/deps'
import { measureRequests } from './core/metrics/metrics'
import { traceRequests } from './core/tracing/trace'
import { indexPage } from './console/index-page'
import { encodingFor } from './core/http/encoding'
import type { Logger } from './core/log'
import { allowedHosts } from './core/http/origins'
import { root } from './core/root'

export type ConsoleDeps = Measuring & { config: Config; log: Logger; directory?: string; timeLimits?: TimeLimits }

// A missing script, style or picture must answer 404: the index page in its place would look like a broken build.
const wantsPage = ({ method, url, headers }: FastifyRequest) => {
  const destination = headers['sec-fetch-dest'] ?? 'document'
  const accept = headers.accept ?? '*/*'
  return (
    (method === 'GET' || method === 'HEAD') &&
    !url.startsWith('/assets/') &&
    destination === 'document' &&
    (accept.includes('text/html') || accept.includes('*/*'))
  )
}

const refuse = (reply: FastifyReply, status: number, text: string) =>
  reply.code(status).header('cache-control', 'no-store').type('text/plain; charset=utf-8').send(`${text}\n`)

/** The console's host (5173): serves only the production build. */
export const buildConsole = ({ config, log, directory = join(root, 'dist/console'), timeLimits, ...measuring }: ConsoleDeps) => {
  const headers = consoleHeaders(config)
  const names = allowedHosts(config, 'console')
  const page = indexPage(join(directory, 'index.html'), config)
  // The logger's own type is not needed here.
  const loggerInstance: FastifyBaseLogger = log.child({ host: 'console' })
  const { late, limits, ...connections } = createConnections({ log: loggerInstance, headers, limits: timeLimits })
  const app: FastifyInstance = fastify({
    loggerInstance,
    ...connections,
    return503OnClosing: false,
    frameworkErrors: (_error, _request, reply) => void refuse(reply.headers(headers), 400, 'Bad request'),
  })

  const sendPage = async (request: FastifyRequest, reply: FastifyReply) => {
    const { etag, bodies } = await page()
    const encoding = encodingFor(request.headers['accept-encoding'])
    reply.header('cache-control', 'no-cache').header('etag', etag).header('vary', 'accept-encoding')
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    if (encoding !== 'identity') reply.header('content-encoding', encoding)
    return reply.type('text/html; charset=utf-8').send(bodies[encoding])
  }

  traceRequests(app, measuring.spans)
  measureRequests(app, measuring.metrics)
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers)
    const hasNoHost = request.headers.host === undefined && request.raw.httpVersion === '1.1'
    if (hasNoHost || hasSeveralHosts(request)) refuse(reply, 400, 'Bad request')
    else if (!names.has(request.host)) refuse(reply, 421, 'This host does not serve that host name')
    else if (request.url.includes('%00')) refuse(reply, 400, 'Bad request')
    else done()
  })
  limitTimes(app, late, limits)
  app.addHook('onSend', settleUnreadBodies)
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    if (error instanceof Refusal) return refuse(reply, error.status, error.message)
    const status = error.statusCode ?? 500
    if (status < 500) return refuse(reply, status, 'Bad request')
    log.error(error)
    return refuse(reply, 500, 'Something went wrong')
  })
  app.setNotFoundHandler((request, reply) => (wantsPage(request) ? sendPage(request, reply) : refuse(reply, 404, 'Not found')))
  serveProbes(app)
  app.get('/', sendPage)
  app.get('/index.html', sendPage)
  void app.register(fastifyStatic, {
    root: directory,
    index: false,
    preCompressed: true,
    dotfiles: 'ignore',
    setHeaders: (reply, path) => {
      const immutable = path.startsWith(join(directory, 'assets/'))
      reply.header('cache-control', immutable ? 'public, max-age=31536000, immutable' : 'no-cache')
      // The media type derived from an SVG's name has no charset.
      if (/\.svg(\.\w+)?$/.test(path)) reply.header('content-type', 'image/svg+xml; charset=utf-8')
    },
    cacheControl: false,
  })
  return app
}
