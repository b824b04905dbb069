import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { buildApi } from '../../../server/api'
import { restore } from '../../../server/backup/restore'
import { readConfig } from '../../../server/core/config'
import { openDatabase } from '../../../server/core/database/open'
import type { Deps } from '../../../server/core/deps'
import { createDatabase } from '../database'
import { people } from '../people'
import { memoryStorage } from '../storage'

type Ids = Record<'organization' | 'project' | 'device' | 'release' | 'rollout' | 'tag' | 'signing_key', string[]>

/** What every version answers: endpoints of the first state, for each object. */
const pathsOf = (ids: Ids): string[] => [
  '/users/self',
  '/organizations',
  '/projects',
  ...ids.organization.flatMap((id) => ['', '/members', '/projects', '/audit_log'].map((end) => `/organizations/${id}${end}`)),
  ...ids.project.flatMap((id) =>
    [
      '',
      '/devices?limit=200',
      '/releases',
      '/rollouts',
      '/tags',
      '/signing_keys',
      '/enrollment_tokens',
      '/overview',
      '/metric_names',
      '/audit_log',
    ].map((end) => `/projects/${id}${end}`),
  ),
  ...ids.device.flatMap((id) =>
    ['', '/releases', '/update_events', '/update_decision', '/system_logs'].map((end) => `/devices/${id}${end}`),
  ),
  ...ids.release.flatMap((id) => ['', '/rollouts', '/manifest'].map((end) => `/releases/${id}${end}`)),
  ...ids.rollout.flatMap((id) => ['', '/devices', '/timeline'].map((end) => `/rollouts/${id}${end}`)),
  ...ids.tag.map((id) => `/tags/${id}`),
  ...ids.signing_key.map((id) => `/signing_keys/${id}`),
]

const dropped = ['text', 'message', 'request_id', 'anchored_at', 'restored_at']
/** Where these are texts that explain why a device waits. */
const explains = /\/update_decision$|^\/rollouts\/\w+\/devices$/
const explaining = ['reason', 'observed', 'required']
/** Drops texts for people, whose wording changes, and what belongs to this restore and this request. */
export const keepFacts = (url: string) => (key: string, value: unknown) =>
  dropped.includes(key) || (explaining.includes(key) && explains.test(url)) ? undefined : value

export type Answers = Record<string, { status: number; body: unknown }>

/**
 * Restores a backup into a new database, which migrates it to this program's schema, and reads all of its objects at `at` as the owner of its
 * organization.
 */
export const readAll = async (backup: string, at: Date): Promise<Answers> => {
  const database = await createDatabase({ bare: true })
  const directory = await mkdtemp(join(tmpdir(), 'teasel-upgraded-'))
  const config = readConfig({
    TEASEL_DATA_DIR: directory,
    DATABASE_URL: database.url,
    TEASEL_LIMIT_REQUESTS_PER_MINUTE: '1000000',
  })
  await restore(config, backup, () => {})
  const { pool, db, close } = openDatabase({ url: database.url, onError: () => {} })
  const deps: Deps = {
    config,
    db,
    pool,
    log: pino({ level: 'silent' }),
    clock: () => at,
    storage: memoryStorage(),
    mail: async () => {},
  }
  const app = buildApi(deps)
  const idsOf = async (table: string, column = 'id') =>
    (await pool.query<{ id: string }>(`select ${column} as id from ${table} order by 1`)).rows.map(({ id }) => id)
  const { token } = await people(deps).session((await idsOf('organizations', 'created_by'))[0] ?? '')
  const ids = {
    organization: await idsOf('organizations', 'public_id'),
    project: await idsOf('projects'),
    device: await idsOf('devices'),
    release: await idsOf('releases'),
    rollout: await idsOf('rollouts'),
    tag: await idsOf('tags'),
    signing_key: await idsOf('signing_keys'),
  }
  const answers: Answers = {}
  for (const url of pathsOf(ids)) {
    const answer = await app.inject({ url, headers: { host: new URL(config.urls.api).host, 'x-session-token': token } })
    answers[url] = { status: answer.statusCode, body: JSON.parse(answer.payload, keepFacts(url)) }
  }
  await app.close()
  await close()
  await database.drop()
  await rm(directory, { recursive: true, force: true })
  return answers
}
