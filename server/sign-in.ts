import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ping } from './core/database/ping'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { nextRequestId } from './core/ids'
import type { Deps } from './core/deps'
import { findUnstorable } from '../contract/core/rules'
import { createConnections } from './core/http/connections'
import { serveProbes } from './core/http/drain'
import { checkHost } from './core/http/check-host'
import { notFound, Refusal, refuse } from './core/http/refuse'
import { measureRequests } from './core/metrics/metrics'
import { traceRequests } from './core/tracing/trace'
import { limitTimes } from './core/http/time-limits'
import { settleUnreadBodies } from './core/http/unread-bodies'
import { allowedHosts, consoleOrigins, strictTransport } from './core/http/origins'
import { root } from './core/root'
import { failurePage } from './sign-in/failures'
import { emailChangePageRoutes } from './sign-in/email-change'
import { forgotRoutes } from './sign-in/forgot'
import type { SignInHost } from './sign-in/host'
import { identityRoutes } from './sign-in/identity/routes'
import { inviteRoutes } from './sign-in/invites'
import { outboxRoutes } from './sign-in/outbox'
import { billingRoutes } from './sign-in/billing'
import { assets } from './sign-in/page'
import { passwordsOf } from './core/passwords/passwords'
import { signInRoutes } from './sign-in/signin'
import { signUpRoutes } from './sign-in/signup'
import { unsubscribeRoutes } from './sign-in/unsubscribe'
import { stepRoutes } from './sign-in/second-step'

const FORM_BYTES = 16 * 1024
const routeModules: readonly ((host: SignInHost) => void)[] = [
  signInRoutes,
  stepRoutes,
  identityRoutes,
  signUpRoutes,
  forgotRoutes,
  emailChangePageRoutes,
  inviteRoutes,
  outboxRoutes,
  unsubscribeRoutes,
  billingRoutes,
]

// `form-action 'self'` alone would block the redirect to the console; with `no-referrer` posts would have a null origin.
const headersOf = ({ config }: Deps): Record<string, string> => ({
  'Cache-Control': 'no-store',
  'Content-Security-Policy': [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self'",
    // A policy cannot name an IPv6 address: after signing in from one there is no automatic redirect.
    `form-action 'self' ${[...consoleOrigins(config)].filter((origin) => !origin.includes('[')).join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  ...(!config.loopbackOnly && strictTransport),
})

const guardFront = (app: FastifyInstance, deps: Deps, headers: Record<string, string>) => {
  const hosts = allowedHosts(deps.config, 'sign-in')
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(headers).header('X-Request-Id', request.id)
    checkHost(request, hosts)
  })
  app.addHook('onResponse', async (request, reply) => {
    // Logs the route pattern, not the URL: links of mails are secrets.
    const { method, id, routeOptions } = request
    request.log.info({
      request_id: id,
      method,
      route: routeOptions.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      ip: request.ip.slice(0, 64),
    })
  })
}

const takeForms = (app: FastifyInstance) => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
    const fields = Object.fromEntries(new URLSearchParams(String(body)))
    if (findUnstorable(fields) === undefined) done(null, fields)
    else done(new Refusal(400, 'malformed', {}))
  })
}

const serveAssets = (app: FastifyInstance) => {
  const favicon = readFileSync(join(root, 'public/favicon.svg'), 'utf8')
  const files = [
    { ...assets.style, type: 'text/css; charset=utf-8', age: 'public, max-age=31536000, immutable' },
    { ...assets.script, type: 'text/javascript; charset=utf-8', age: 'public, max-age=31536000, immutable' },
    { path: '/favicon.svg', text: favicon, type: 'image/svg+xml; charset=utf-8', age: 'public, max-age=86400' },
  ]
  for (const { path, text, type, age } of files)
    app.get(path, async (_request, reply) => reply.header('Cache-Control', age).type(type).send(text))
}

/** The sign-in host: HTML pages without a framework, which redirect a browser to the console with an authorization code. */
export const buildSignIn = (deps: Deps): FastifyInstance => {
  // Route modules need only Fastify's logger type.
  const loggerInstance: FastifyBaseLogger = deps.log
  const headers = headersOf(deps)
  const { late, limits, ...connections } = createConnections({ log: deps.log, headers, limits: deps.timeLimits })
  const app: FastifyInstance = Fastify({
    loggerInstance,
    ...connections,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: FORM_BYTES,
    trustProxy: deps.config.trustedProxies,
    genReqId: () => nextRequestId(),
    return503OnClosing: false,
    // Hooks do not run for a URL that cannot be parsed.
    frameworkErrors: (error, request, reply) =>
      failurePage(deps)(error, request, reply.headers(headers).header('X-Request-Id', request.id)),
  })
  app.setErrorHandler(failurePage(deps))
  app.setNotFoundHandler(async () => notFound())
  traceRequests(app, deps.spans)
  measureRequests(app, deps.metrics)
  guardFront(app, deps, headers)
  serveProbes(app, () => ping(deps.db).catch(() => refuse(503, 'unavailable', { retryAfterS: 2 })))
  limitTimes(app, late, limits)
  app.addHook('onSend', settleUnreadBodies)
  takeForms(app)
  serveAssets(app)
  app.get('/', async (_request, reply) => reply.redirect('/signin', 303))
  const host: SignInHost = { app, deps, passwords: passwordsOf(deps.config) }
  for (const open of routeModules) open(host)
  return app
}
