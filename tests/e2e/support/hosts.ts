import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { onboardingKey, recordInterstitial } from '../../../contract/interstitials'
import { storageKeys } from '../../../src/lib/storage-keys'
import { openEmbedded } from '../../../server/core/database/embedded'
import { freePort } from '../../support/free-port'
import { fromBuild, startServer } from '../../support/program'
import { type Browser, openContext } from './browser'
import { call } from './call'
import { type Person, someone } from './people'
import { signUpOverHttp } from './visitor'

export type Hosts = {
  console: string
  signIn: string
  api: string
  /** Runs one statement in its database, for facts that no person can create. */
  sql: (text: string, values?: unknown[]) => Promise<void>
  /** All of their logs and output. */
  logged: () => Promise<string>
  stop: () => Promise<void>
}

/** The three built hosts, in one process, with their own data directory. */
export const startHosts = async (variables: Record<string, string> = {}): Promise<Hosts> => {
  const data = await mkdtemp(join(tmpdir(), 'teasel-hosts-'))
  const [web, api, signIn] = [await freePort(), await freePort(), await freePort()]
  const { child, printed, ready, ended } = startServer(
    {
      NODE_ENV: 'production',
      TEASEL_WEB_PORT: String(web),
      TEASEL_API_PORT: String(api),
      TEASEL_SIGN_IN_PORT: String(signIn),
      TEASEL_DATA_DIR: data,
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
  return {
    console: `http://localhost:${web}`,
    signIn: `http://localhost:${signIn}`,
    api: `http://localhost:${api}`,
    sql: async (text, values) => {
      const client = new Client({ connectionString: (await openEmbedded({ directory: data })).url })
      await client.connect()
      await client.query(text, values).finally(() => client.end())
    },
    logged: async () => (await readFile(join(data, 'teasel.log'), 'utf8')) + printed(),
    stop: async () => {
      child.kill('SIGTERM')
      await ended
      await rm(data, { recursive: true, force: true })
    },
  }
}

export type Visitor = Person & { token: string }

/** A new user who has not answered the questionnaire. */
export const anonymousVisitor = async (hosts: Hosts): Promise<Visitor> => {
  const person = someone()
  return { ...person, token: await signUpOverHttp(hosts, person) }
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

/** A new profile with this session in its storage, and other given entries. */
export const openSignedIn = (browser: Browser, hosts: Hosts, { token }: Visitor, kept: Record<string, string> = {}) =>
  openContext(browser, {
    storageState: {
      cookies: [],
      origins: [
        {
          origin: hosts.console,
          localStorage: Object.entries({ [storageKeys.session]: token, ...kept }).map(([name, value]) => ({ name, value })),
        },
      ],
    },
  })
