import { pino } from 'pino'
import { createPersonalProject } from '../../contract/accounts/project-changes'
import { findUserByEmail } from '../accounts/users/repository'
import { type Config, readConfig } from '../core/config'
import { findEmbedded } from '../core/database/embedded'
import { openDatabase } from '../core/database/open'
import type { Deps } from '../core/deps'
import { createLog } from '../core/log'
import { openStorage } from '../core/storage/open-storage'
import { readDemo } from './demo-directory'
import { type Progress, seedDevices, seedTelemetry, settle } from './large.repository'
import { openSeedApi } from './seed-api'

/** `npm run seed:large`: as many devices as the production plan allows. `measured` devices have charts of their own. */
const largeSizes = { devices: 50_000, logLines: 1_000_000, hours: 30 * 24, measured: 100 }

type Asked = { email: string | undefined; sizes: typeof largeSizes; onProgress: Progress; signal: AbortSignal }

/** Fills a new project of an account. If it is cancelled, what was inserted stays, and so does the project. */
export const seedLarge = async (deps: Deps, { email, sizes, onProgress, signal }: Asked): Promise<string> => {
  const address = email ?? (await readDemo(deps))?.email
  if (address === undefined)
    throw new Error('There is no demo account: name the account that will own the project, by its e-mail address.')
  const user = await findUserByEmail(deps.db, address)
  if (!user) throw new Error(`There is no account with the address ${address}.`)
  const api = openSeedApi(deps)
  try {
    const name = `Large fleet ${deps.clock().toISOString().slice(0, 19)}`
    const body = { name, description: `${sizes.devices} generated devices` }
    const { id: projectId } = await api.ask(createPersonalProject, {}, { as: await api.actAs(user.id), body })
    const fleet = { projectId, now: deps.clock(), onProgress, signal, ...sizes }
    await seedDevices(deps.db, fleet)
    await seedTelemetry(deps.db, fleet)
    await settle(deps.db, deps.clock())
    return projectId
  } finally {
    await api.close()
  }
}

/** Invented devices must not get among real ones: refuses what the demo refuses too. */
export const requireLocal = ({ environment, loopbackOnly }: Pick<Config, 'environment' | 'loopbackOnly'>): void => {
  if (environment !== 'local' || !loopbackOnly)
    throw new Error(
      'A large fleet is only made for tests: TEASEL_ENVIRONMENT must be local, and all URLs and TEASEL_BIND of this machine.',
    )
}

/** Shows the part that is being inserted, on one line of a terminal, and otherwise as a line for each part. */
const createProgress =
  (out: NodeJS.WriteStream): Progress =>
  (part, done, of) => {
    const text = `${part}: ${done.toLocaleString('en')} of ${of.toLocaleString('en')}`
    if (out.isTTY) out.write(`\r\u001b[K${text}${done === of ? '\n' : ''}`)
    else if (done === of) out.write(`${text}\n`)
  }

/** `seed-large [ADDRESS]`: fills the database of a local installation that runs. Ctrl-C ends it after the running statement. */
export const runSeedLarge = async (email: string | undefined): Promise<void> => {
  const config = readConfig()
  requireLocal(config)
  const url = config.databaseUrl ?? (await findEmbedded(config.dataDirectory))?.url
  if (url === undefined) throw new Error(`Nothing runs with the data in ${config.dataDirectory}: start it with npm start first.`)
  const cancelled = new AbortController()
  process.once('SIGINT', () => cancelled.abort())
  const log = createLog('error', pino.destination(2))
  const { db, pool, close } = openDatabase({ url, onError: (error) => log.error(error, 'an idle database connection was lost') })
  const deps = {
    config,
    db,
    pool,
    log,
    clock: () => new Date(),
    storage: await openStorage(config.storage),
    mail: async () => {},
  }
  try {
    const { signal } = cancelled
    await seedLarge(deps, { email, sizes: largeSizes, onProgress: createProgress(process.stdout), signal })
    process.stdout.write(`The new project "Large fleet …" is filled: ${config.urls.console}\n`)
  } catch (error) {
    if (!cancelled.signal.aborted) throw error
    process.stdout.write(
      '\nCancelled. The new project "Large fleet …" has what was inserted so far; it can be deleted in its settings.\n',
    )
    process.exitCode = 130
  } finally {
    await close()
  }
}
