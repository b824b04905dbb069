import { createServer } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { type Config, type Host, readConfig } from './config'
import { hosts } from './variables'
import { buildApi } from './api'
import { buildConsole } from './console'
import { openDemo, runDemo } from './demo'
import type { Deps } from './deps'
import { startJobs } from './jobs'
import { type Logger, openLog } from './log'
import { openMailer } from './mailer'
import { buildSignIn } from './sign-in'
import { openStorage } from './storage/open'
import { openStore } from './store'

type Listener = Pick<FastifyInstance, 'listen' | 'close' | 'server'>
type Close = () => Promise<void>

// Longer than F-25's 10 s for requests, so that jobs and the database can follow.
const GRACE_MS = 10_000
const variables = { console: 'TEASEL_WEB_PORT', api: 'TEASEL_API_PORT', 'sign-in': 'TEASEL_SIGN_IN_PORT' } satisfies Record<
  Host,
  string
>

const portError = (error: NodeJS.ErrnoException, host: Host, port: number) => {
  const trouble = { EADDRINUSE: 'is taken', EACCES: 'is not allowed for this user' }[error.code ?? '']
  return trouble === undefined
    ? error
    : new Error(`Port ${port} of the ${host} host ${trouble}. Name another one in ${variables[host]}.`)
}

// Says that a port is taken before anything slow begins.
const probe = (config: Config, host: Host) =>
  new Promise<void>((resolve, reject) => {
    const server = createServer().once('error', (error) => reject(portError(error, host, config.ports[host])))
    server.listen(config.ports[host], config.bind, () => server.close(() => resolve()))
  })

const listen = async (app: Listener, config: Config, host: Host): Promise<Close> => {
  const port = config.ports[host]
  await app
    .listen({ port, host: config.bind })
    .catch((error: NodeJS.ErrnoException) => Promise.reject(portError(error, host, port)))
  return async () => {
    // F-25: what runs may finish, but nothing may hold the process for ever.
    const end = setTimeout(() => app.server.closeAllConnections(), GRACE_MS)
    await app.close()
    clearTimeout(end)
  }
}

const openDeps = async (config: Config, log: Logger, opened: Close[]): Promise<Deps> => {
  const { db, pool, close } = await openStore(config, log)
  opened.push(close)
  return { config, db, pool, log, clock: () => new Date(), storage: openStorage(config), mail: openMailer(config) }
}

/** Opens what the configuration names. What is opened is noted in `opened`, so that it can be closed in the opposite order. */
const open = async (config: Config, log: Logger, opened: Close[]) => {
  const named = (host: Host) => config.hosts.includes(host)
  await Promise.all(config.hosts.map((host) => probe(config, host)))
  const deps = named('api') || named('sign-in') ? await openDeps(config, log, opened) : undefined
  const demo = deps && named('api') ? await openDemo(deps) : undefined
  if (deps && named('api')) opened.push((await startJobs(deps)).stop)
  const closing: Close[] = []
  // All of them stop at the same time, so that a browser never talks to one that still has another's answer to wait for.
  opened.push(() => Promise.all(closing.map((close) => close())).then(() => {}))
  if (deps && named('api')) closing.push(await listen(buildApi(deps), config, 'api'))
  if (deps && named('sign-in')) closing.push(await listen(buildSignIn(deps), config, 'sign-in'))
  if (named('console')) closing.push(await listen(buildConsole({ config, log }), config, 'console'))
  if (deps && demo) closing.push(await runDemo(deps, demo))
  for (const host of hosts.filter(named)) process.stdout.write(`${host}: ${config.urls[host]}\n`)
  process.stdout.write(`data: ${config.dataDirectory}\n`)
  if (demo) process.stdout.write(`account: ${demo.email} ${demo.password}\n`)
}

const run = async () => {
  const config = readConfig()
  const log = openLog(config)
  const opened: Close[] = []
  const closeAll = async () => {
    for (const it of opened.toReversed()) await it().catch((error: unknown) => log.error(error, 'could not close'))
  }
  let closed: Promise<void> | undefined
  const close = () => (closed ??= closeAll())
  let leaving = false
  const opening = open(config, log, opened)
  const leave = (signal: NodeJS.Signals) => {
    log.info({ signal }, 'closing')
    leaving = true
    // A second signal does not wait.
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.removeAllListeners(name).once(name, () => process.exit(1))
    // What was opened before the opening failed is closed too.
    void opening
      .catch((error: unknown) => log.error(error, 'could not open'))
      .then(close)
      .then(() => process.exit(0))
  }
  process.once('SIGINT', leave).once('SIGTERM', leave)
  await opening.catch(async (error: unknown) => {
    if (leaving) return
    await close()
    throw error
  })
}

await run().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
})
