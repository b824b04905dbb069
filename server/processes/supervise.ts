import { watchAuditLog } from '../accounts/audit/watch'
import { type Config, readConfig } from '../core/config'
import { createLog, forwardLine, openLogStream } from '../core/log'
import { openStore, type Store } from '../core/database/store'
import { hosts } from '../core/variables'
import { superviseHosts, type SupervisedHosts } from './supervise-hosts'
import { probePorts } from './ports'
import { type Close, closeInTurn, onSignals } from './until-signal'

// More than a host may take: draining, 10 s for requests (F-25), 5 s for jobs.
const CLOSE_MS = 25_000

const hasDatabase = ({ hosts }: Config) => hosts.some((host) => host !== 'console')

// Hosts do not get the URL of the tables' owner.
const hostEnvironment = (store: Store | undefined): NodeJS.ProcessEnv => {
  const { DATABASE_OWNER_URL: _, ...inherited } = process.env
  return { ...inherited, ...(store && { DATABASE_URL: store.url() }) }
}

const print = (config: Config, account: string | undefined) => {
  for (const host of hosts.filter((it) => config.hosts.includes(it))) process.stdout.write(`${host}: ${config.urls[host]}\n`)
  process.stdout.write(`data: ${config.dataDirectory}\n`)
  if (account !== undefined) process.stdout.write(`account: ${account}\n`)
}

/**
 * Opens what the hosts share, the embedded PostgreSQL and the lock of the data directory, and keeps each host running in its
 * own process. Ends with the hosts, in the opposite order.
 */
export const supervise = async (entry = process.argv[1] ?? ''): Promise<void> => {
  const config = readConfig()
  const stream = openLogStream(config)
  const log = createLog(config.logLevel, stream)
  const opened: Close[] = []
  const close = closeInTurn(opened, log)
  let kept: SupervisedHosts | undefined
  let leaving = false

  const giveUp = (reason: Error) => {
    leaving = true
    log.fatal(reason, 'stopping after a fatal error')
    process.stderr.write(`${reason.message} All hosts are stopped. See the log for details.\n`)
    void close().then(() => process.exit(1))
  }

  const onOpened = (it: Close) => void opened.push(it)
  const onMoved = (url: string) => kept?.tell({ kind: 'database', url })
  const open = async () => {
    await probePorts(config)
    const store = hasDatabase(config) ? await openStore(config, log, { onOpened, onMoved }) : undefined
    if (store && config.smtpUrl === undefined && !config.loopbackOnly)
      log.warn('SMTP_URL is not set: mails are neither sent nor shown')
    if (leaving) return
    if (store) opened.push(watchAuditLog({ url: store.ownerUrl, dataDirectory: config.dataDirectory, log }).stop)
    kept = superviseHosts(config.hosts, {
      entry,
      env: () => hostEnvironment(store),
      log,
      onLine: (line) => forwardLine(stream, line),
      closeWithinMs: config.drainMs + CLOSE_MS,
      onGiveUp: giveUp,
    })
    opened.push(kept.close)
    const account = await kept.ready
    if (!leaving) print(config, account)
  }

  const opening = open()
  onSignals({
    leave: (signal) => {
      log.info({ signal }, 'closing')
      leaving = true
      // Resources opened before a failure are closed too.
      const ended = kept ? Promise.resolve() : opening.catch((error: unknown) => log.error(error, 'could not open'))
      void ended.then(close).then(() => process.exit(0))
    },
    hasten: () => {
      log.warn('closing without waiting for running requests')
      if (kept) kept.kill()
      // An opening that waits, such as for the lock of migrations, ends with its database. One that starts PostgreSQL ends by itself.
      else if (opened.length > 0 || config.databaseUrl !== undefined) void close().then(() => process.exit(1))
    },
  })
  await opening.catch(async (error: unknown) => {
    if (leaving) return
    await close()
    throw error
  })
}
