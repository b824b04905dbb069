import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { type Config, type Host, readConfig } from '../core/config'
import { openDatabaseClock } from '../core/database/clock'
import { moveConnections, openDatabase, requestLimits } from '../core/database/open'
import { openReplica } from '../core/database/replica'
import type { Deps, Measuring } from '../core/deps'
import { type Logger, openHostLog } from '../core/log'
import { openMailer } from '../core/mail/mailer'
import { openStorage } from '../core/storage/open-storage'
import { hosts } from '../core/variables'
import { openMeasuring } from './measuring'
import { handleParentMessages } from './messages'
import { portError, portOf } from './ports'
import { type Close, closeInTurn } from './until-signal'

type App = Pick<FastifyInstance, 'listen' | 'close' | 'server'> & { draining: boolean }
type Opening = { config: Config; log: Logger; opened: Close[]; measuring: Measuring }

// Longer than F-25's 10 s for requests, so that jobs and the database can follow.
const GRACE_MS = 10_000

const listen = async (app: App, { config, opened }: Opening, host: Host) => {
  await app
    .listen({ port: config.ports[host], host: config.bind })
    .catch((error: NodeJS.ErrnoException) => Promise.reject(portError(error, portOf(config, host))))
  opened.push(async () => {
    app.draining = true
    await pause(config.drainMs)
    // F-25: running requests may finish, but none may keep the process alive for ever.
    const end = setTimeout(() => app.server.closeAllConnections(), GRACE_MS)
    await app.close()
    clearTimeout(end)
  })
}

const openDeps = async ({ config, log, opened, measuring }: Opening): Promise<Deps> => {
  const onError = (error: Error) => log.error(error, 'an idle database connection was lost')
  const { db, pool, close } = openDatabase({ url: config.databaseUrl ?? '', onError, ...requestLimits(config) })
  opened.push(close)
  measuring.metrics?.watchPool('requests', pool)
  const { clock, stop } = await openDatabaseClock(pool)
  opened.push(async () => stop())
  const replica =
    config.databaseReadUrl === undefined
      ? undefined
      : openReplica({ url: config.databaseReadUrl, primary: pool, log, limits: requestLimits(config) })
  if (replica) opened.push(replica.close)
  return {
    ...measuring,
    ...(replica && { findReplica: replica.find }),
    config,
    db,
    pool,
    log,
    clock,
    storage: await openStorage(config.storage),
    mail: openMailer(config),
  }
}

// Each process loads only what its host needs. Opened resources are recorded, so that they can be closed in the opposite order.
const open: Readonly<Record<Host, (opening: Opening) => Promise<string | undefined>>> = {
  console: async (opening) => {
    const { buildConsole } = await import('../console')
    await listen(buildConsole({ ...opening, ...opening.measuring }), opening, 'console')
    return undefined
  },
  'sign-in': async (opening) => {
    const { buildSignIn } = await import('../sign-in')
    await listen(buildSignIn(await openDeps(opening)), opening, 'sign-in')
    return undefined
  },
  api: async (opening) => {
    const [
      { buildApi },
      { reportOtherSecretKey },
      { startJobs },
      { openDemo, runDemo },
      { moveParts },
      { prepareStorage },
      { runSimulatedFleets },
    ] = await Promise.all([
      import('../api'),
      import('../accounts/credentials/secret-key'),
      import('../jobs'),
      import('../seed/run-demo'),
      import('../updates/uploads/move-parts'),
      import('../updates/uploads/prepare-storage'),
      import('../fleet/simulated-devices/run'),
    ])
    const deps = await openDeps(opening)
    await reportOtherSecretKey(deps)
    await prepareStorage(deps)
    await moveParts(opening.config)
    const demo = await openDemo(deps)
    const { stop } = await startJobs(deps)
    opening.opened.push(stop)
    await listen(buildApi(deps), opening, 'api')
    if (opening.config.loopbackOnly) opening.opened.push(runSimulatedFleets(deps))
    if (!demo) return undefined
    opening.opened.push(await runDemo(deps, demo))
    return `${demo.email} ${demo.password}`
  },
}

const hostNamed = (name: string | undefined): Host => {
  const found = hosts.find((host) => host === name)
  if (!found) throw new Error(`There is no host ${String(name)}.`)
  return found
}

/** Serves one host until the parent process asks it to close. */
export const serve = async (name: string | undefined): Promise<void> => {
  const host = hostNamed(name)
  const config = readConfig()
  const log = openHostLog(config)
  const opened: Close[] = []
  let leaving = false
  const openAll = async () => {
    const base = { config, log, opened }
    return open[host]({ ...base, measuring: await openMeasuring(host, base) })
  }
  const opening = openAll()
  const close = closeInTurn(opened, log)
  const leave = () => {
    leaving = true
    // Resources opened before a failure are closed too.
    void opening
      .catch((error: unknown) => log.error(error, 'could not open'))
      .then(close)
      .then(() => process.exit(0))
  }
  // Ctrl-C in a terminal reaches every process of its group. A repeated signal has no further effect here.
  process.on('SIGINT', () => leaving || leave()).on('SIGTERM', () => leaving || leave())
  handleParentMessages((order) => {
    if (order.kind === 'database') moveConnections(order.url)
    else if (!leaving) leave()
  })
  const account = await opening.catch(async (error: unknown) => {
    if (leaving) return undefined
    await close()
    throw error
  })
  process.send?.({ kind: 'ready', ...(account !== undefined && { account }) })
}
