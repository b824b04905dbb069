import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onboardingKey, recordInterstitial } from '../../../contract/accounts/interstitials'
import { storageKeys } from '../../../src/lib/storage-keys'
import { type Database, openDatabase } from '../../../server/core/database/open'
import { createDatabase } from '../../support/database'
import { freePort } from '../../support/free-port'
import { people } from '../../support/people'
import { fromBuild, startServer } from '../../support/program'
import { type Browser, type BrowserContext, openContext } from './browser'
import { call } from './call'
import type { Remains } from './kept'
import { passwordHash, type Person, someone } from './people'

export type Hosts = {
  console: string
  signIn: string
  api: string
  /** Inserts a person with a session into its database. */
  person: ReturnType<typeof people>['person']
  /** Its database, with the rights of the owner: for the seeds of large fleets. */
  db: Database
  /** Runs one statement in its database, for facts that no person can create. */
  sql: (text: string, values?: unknown[]) => Promise<void>
  /** Keeps the locks that this statement takes until the returned function is called. */
  hold: (text: string) => Promise<() => Promise<void>>
  /** All of their logs and output. */
  logged: () => Promise<string>
  /** kill -9 of the process of a host; it is started again by the process that keeps it. */
  kill: (host: string) => Promise<void>
  remains: Remains
  stop: () => Promise<void>
}

/** The three built hosts, with their own database and data directory. */
export const startHosts = async (variables: Record<string, string> = {}): Promise<Hosts> => {
  const [data, database] = [await mkdtemp(join(tmpdir(), 'teasel-hosts-')), await createDatabase()]
  const [web, api, signIn] = [await freePort(), await freePort(), await freePort()]
  const { child, printed, ready, ended, pidOf } = startServer(
    {
      NODE_ENV: 'production',
      TEASEL_WEB_PORT: String(web),
      TEASEL_API_PORT: String(api),
      TEASEL_SIGN_IN_PORT: String(signIn),
      TEASEL_DATA_DIR: data,
      DATABASE_URL: database.url,
      DATABASE_OWNER_URL: database.ownerUrl,
      TEASEL_EMPTY: '1',
      TEASEL_LIMIT_REQUESTS_PER_MINUTE: '1000000',
      TEASEL_LIMIT_SIGN_INS_PER_MINUTE: '1000000',
      TEASEL_LIMIT_MAILS_PER_HOUR: '1000000',
      TEASEL_LIMIT_MAILS_PER_DAY: '1000000',
      TEASEL_LIMIT_BAD_TOKENS_PER_MINUTE: '1000000',
      ...variables,
    },
    fromBuild,
  )
  await ready
  const { db, pool, close } = openDatabase({
    url: database.ownerUrl,
    onError: () => {},
    connections: 2,
    statementTimeoutMs: 120_000,
    connectionTimeoutMs: 120_000,
  })
  return {
    console: `http://localhost:${web}`,
    signIn: `http://localhost:${signIn}`,
    api: `http://localhost:${api}`,
    person: people({ db, clock: () => new Date(), config: { limits: { sessionAbsoluteS: 30 * 24 * 3600 } } }).person,
    db,
    sql: async (text, values) => void (await pool.query(text, values)),
    hold: async (text) => {
      const client = await pool.connect()
      await client.query('begin; set local idle_in_transaction_session_timeout = 0')
      await client.query(text)
      return async () => {
        await client.query('commit')
        client.release()
      }
    },
    logged: async () => (await readFile(join(data, 'teasel.log'), 'utf8')) + printed(),
    kill: async (host) => {
      const pid = await pidOf(host)
      if (pid === undefined) throw new Error(`The host ${host} does not run.`)
      process.kill(pid, 'SIGKILL')
    },
    remains: { pid: child.pid ?? 0, data, database: new URL(database.url).pathname.slice(1) },
    stop: async () => {
      child.kill('SIGTERM')
      await ended
      await close()
      await database.drop()
      await rm(data, { recursive: true, force: true })
    },
  }
}

export type Visitor = Person & { token: string }

/** A new user who has not answered the questionnaire, inserted as rows: a sign-up takes half a second of hashing. */
export const anonymousVisitor = async (hosts: Hosts): Promise<Visitor> => {
  const person = someone()
  const { token } = await hosts.person({ name: person.name, email: person.email, plan: 'developer', passwordHash })
  return { ...person, token }
}

/** A new user without the questionnaire. */
export const newUser = async (hosts: Hosts): Promise<Visitor> => {
  const visitor = await anonymousVisitor(hosts)
  await call(hosts.api, recordInterstitial, { interstitialId: onboardingKey }, { as: visitor.token })
  return visitor
}

/** A new user whose plan allows as many organizations and projects as a test needs. */
export const subscriber = async (hosts: Hosts): Promise<Visitor> => {
  const visitor = await newUser(hosts)
  await hosts.sql(`update users set pricing_plan = 'production' where email = $1`, [visitor.email])
  return visitor
}

/** The entry of localStorage by which a page knows that the given entries were written before: the console may have changed them. */
const mark = 'test.given'
const giveStorage = ({ origin, items, mark: name }: { origin: string; items: Record<string, string>; mark: string }) => {
  if (location.origin !== origin || localStorage.getItem(name) !== null) return
  for (const [key, value] of Object.entries({ ...items, [name]: '' })) localStorage.setItem(key, value)
}

/** Puts this session, and other given entries, into the storage of the pages to come. */
export const signInPages = (
  prepare: BrowserContext['addInitScript'],
  hosts: Hosts,
  { token }: Visitor,
  kept: Record<string, string> = {},
) => {
  // Playwright would open and close a page of its own to store a storage state.
  const items = { [storageKeys.session]: token, ...kept }
  return prepare(giveStorage, { origin: hosts.console, items, mark })
}

/** A new profile with this session in its storage. */
export const openSignedIn = async (browser: Browser, hosts: Hosts, visitor: Visitor, kept?: Record<string, string>) => {
  const opened = await openContext(browser)
  await signInPages((script, ...args) => opened.context.addInitScript(script, ...args), hosts, visitor, kept)
  return opened
}
