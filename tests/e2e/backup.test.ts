import { createHash, randomBytes } from 'node:crypto'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Client } from 'pg'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { createEnrollmentToken } from '../../contract/fleet/enrollment-tokens'
import { projectAuditLog } from '../../contract/accounts/audit'
import { fromBase64, toBase64 } from '../../contract/device/bytes'
import { sign } from '../../contract/device/dsse'
import { checkIn, enroll } from '../../contract/device/endpoints'
import { payloadType } from '../../contract/device/manifest'
import { generateSigningKey } from '../../contract/device/private-key'
import { pemOf } from '../../contract/device/public-key'
import { createSigningKey } from '../../contract/fleet/keys'
import { personalProjects } from '../../contract/accounts/projects'
import { createPersonalProject } from '../../contract/accounts/project-changes'
import { assetLink, createAsset } from '../../contract/updates/release-assets'
import { finalizeRelease, signRelease } from '../../contract/updates/release-signing'
import { createRelease } from '../../contract/updates/releases'
import { sessionHeader } from '../../contract/accounts/sessions'
import { createUpload } from '../../contract/updates/uploads'
import type { Manifest } from '../../server/backup/manifest'
import { type Embedded, findEmbedded, openEmbedded } from '../../server/core/database/embedded'
import { withClient } from '../../server/core/database/roles'
import { checkInBody, enrollBody } from '../support/devices'
import { freePort } from '../support/free-port'
import { fromBuild, type Program, startServer } from '../support/program'
import { call } from './support/call'
import { type Person, someone } from './support/people'
import { signInOverHttp, signUpOverHttp } from './support/visitor'

const secretKey = randomBytes(32).toString('base64')
const consoleUrl = 'http://localhost:5173'

type Running = { program: Program; api: string; signIn: string; console: string }

let directory: string
let ports: { api: number; signIn: number }
let running: Running | undefined

const variables = (data: string, more: Record<string, string> = {}) => ({
  NODE_ENV: 'production',
  TEASEL_HOSTS: 'api,sign-in',
  TEASEL_API_PORT: String(ports.api),
  TEASEL_SIGN_IN_PORT: String(ports.signIn),
  TEASEL_DATA_DIR: join(directory, data),
  TEASEL_SECRET_KEY: secretKey,
  TEASEL_EMPTY: '1',
  TEASEL_LIMIT_DEVICE_REQUESTS_PER_MINUTE: '1000000',
  ...more,
})

const start = async (data: string, more?: Record<string, string>) => {
  const program = startServer(variables(data, more), fromBuild)
  running = { program, api: `http://localhost:${ports.api}`, signIn: `http://localhost:${ports.signIn}`, console: consoleUrl }
  await program.ready
  return running
}

const stop = async () => {
  running?.program.child.kill('SIGTERM')
  await running?.program.ended
  running = undefined
}

const command = async (name: 'backup' | 'restore', folder: string, data: string, more?: Record<string, string>) => {
  const program = startServer(variables(data, more), [...fromBuild, name, join(directory, folder)])
  const code = await program.ended
  return { code, printed: program.printed() }
}

const bytes = randomBytes(300_000)

const upload = async ({ api }: Running, token: string, assetId: string) => {
  const facts = { filename: 'app.bin', purpose: 'release_asset', target_id: assetId }
  const metadata = Object.entries(facts).map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
  const tus = { 'tus-resumable': '1.0.0' }
  const made = await call(
    api,
    createUpload,
    {},
    {
      as: token,
      headers: { ...tus, 'upload-length': String(bytes.length), 'upload-metadata': metadata.join(',') },
    },
  )
  const path = new URL(made.headers.get('location') ?? '', api).pathname
  const headers = { ...tus, [sessionHeader]: token, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }
  expect((await fetch(`${api}${path}`, { method: 'PATCH', headers, body: new Uint8Array(bytes) })).status).toBe(204)
}

/** Creates a project with a device and a signed release, whose data another installation can be compared by. */
const furnish = async (host: Running, token: string) => {
  const { api } = host
  const projectId = (await call(api, createPersonalProject, {}, { as: token, body: { name: 'Orchard' } })).body.id
  const key = await generateSigningKey('ed25519')
  const keyBody = { name: 'release', algorithm: 'ed25519' as const, public_key_pem: pemOf(key.publicKey) }
  const registered = await call(api, createSigningKey, { projectId }, { as: token, body: keyBody })
  const enrollment = await call(
    api,
    createEnrollmentToken,
    { projectId },
    { as: token, body: { name: 'field', auto_accept: true } },
  )
  const device = await call(
    api,
    enroll,
    {},
    { as: enrollment.body.token, body: enrollBody({ trusted_keys: [key.publicKey.fingerprint] }) },
  )
  const facts = { name: 'Firmware', version: 1, type: 'file' as const, hardware_models: ['gw-imx8m'] }
  const releaseId = (await call(api, createRelease, { projectId }, { as: token, body: facts })).body.id
  const file = { name: 'app.bin', kind: 'payload' as const, size: bytes.length, install_location: '/opt/app.bin' }
  const assetId = (await call(api, createAsset, { releaseId }, { as: token, body: file })).body.id
  await upload(host, token, assetId)
  const { body } = await call(api, finalizeRelease, { releaseId }, { as: token, body: {} })
  const { signature } = await sign(key, payloadType, fromBase64(body.to_sign.payload_base64) ?? new Uint8Array())
  const signed = { key_id: registered.body.id, signature_base64: toBase64(signature) }
  await call(api, signRelease, { releaseId }, { as: token, body: signed })
  return { projectId, releaseId, assetId, deviceToken: device.body.device_token }
}

type Furnished = Awaited<ReturnType<typeof furnish>>

/** Data that must be the same before the backup and after the restore. */
const look = async ({ api }: Running, token: string, { projectId, releaseId, assetId, deviceToken }: Furnished) => {
  const envelope = await fetch(`${api}/releases/${releaseId}/manifest`, { headers: { [sessionHeader]: token } })
  const link = await call(api, assetLink, { releaseId, assetId }, { as: token })
  const asset = await fetch(new URL(link.body.url, api))
  const log = await call(api, projectAuditLog, { projectId }, { as: token })
  const polled = await call(api, checkIn, {}, { as: deviceToken, body: checkInBody() })
  return {
    envelope: await envelope.text(),
    asset: createHash('sha256')
      .update(Buffer.from(await asset.arrayBuffer()))
      .digest('hex'),
    verified: log.body.chain.verified,
    entries: log.body.entries.map(({ id, hash }) => `${id} ${hash}`),
    device: polled.status,
  }
}

let person: Person
let made: Furnished
let before: Awaited<ReturnType<typeof look>>

const inDatabase = async <T>(data: string, work: (client: Client) => Promise<T>) =>
  withClient((await findEmbedded(join(directory, data)))?.url ?? '', work)

/** A partition that a new database has not: those of a former schema were weeks. */
const useWeekOfLogs = (data: string) =>
  inDatabase(data, async (client) => {
    const days = "select name from telemetry_partitions('device_logs') where starts >= current_date + 3"
    for (const { name } of (await client.query<{ name: string }>(days)).rows) await client.query(`drop table ${name}`)
    const bound = "format('from (%L) to (%L)', current_date + 3, current_date + 10)"
    const { rows } = await client.query<{ bound: string }>(`select ${bound} as bound`)
    await client.query(`create table device_logs_week partition of device_logs for values ${rows[0]?.bound}`)
    await client.query(
      `insert into device_logs (project_id, device_id, sequence, ts_ms, received_at, level, unit, message, fields)
       values ($1, 'device', 1, 1, current_date + 5, 6, 'kernel', 'up', '{}')`,
      [made.projectId],
    )
  })

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'teasel-backup-'))
  ports = { api: await freePort(), signIn: await freePort() }
  person = someone()
  const host = await start('data')
  const token = await signUpOverHttp(host, person)
  made = await furnish(host, token)
  before = await look(host, token, made)
  expect(before).toMatchObject({
    asset: createHash('sha256').update(bytes).digest('hex'),
    verified: 'yes',
    device: 200,
  })
  await useWeekOfLogs('data')
  // Others continue to write during the backup.
  const stopping = new AbortController()
  const writer = async () => {
    for (let n = 0; !stopping.signal.aborted; n++)
      await call(host.api, checkIn, {}, { as: made.deviceToken, body: checkInBody({ uptime_s: n }) })
  }
  const writers = writer()
  const taken = await command('backup', 'backup', 'data')
  stopping.abort()
  await writers
  expect(taken.code, taken.printed).toBe(0)
  // Created after the backup: the restored installation must not have it.
  await call(host.api, createPersonalProject, {}, { as: token, body: { name: 'Too late' } })
  await stop()
})
afterEach(stop)
afterAll(() => rm(directory, { recursive: true, force: true }))

const isRestored = async (host: Running) => {
  const token = await (await signInOverHttp(host, person)).redeem()
  const { body } = await call(host.api, personalProjects, {}, { as: token })
  expect(body.projects.map(({ name }) => name)).toEqual(['Orchard'])
  const { entries, ...others } = await look(host, token, made)
  expect({ ...others, entries: before.entries }).toEqual(before)
  // Links to artifacts are audited too: there may be newer entries.
  expect(entries).toEqual(expect.arrayContaining(before.entries))
  // The restored installation accepts new data.
  await call(host.api, createPersonalProject, {}, { as: token, body: { name: 'Meadow' } })
}

it('a backup taken while the server runs restores accounts, audit log, signed release, artifact and device in a new data directory', async () => {
  const { code, printed } = await command('restore', 'backup', 'restored')
  expect(code, printed).toBe(0)
  await isRestored(await start('restored'))
  const lines = await inDatabase('restored', (client) => client.query('select message from device_logs_week'))
  expect(lines.rows).toEqual([{ message: 'up' }])
})

/** The rows of each table, and the hash of each file except anchors, which record the restore. */
const contentsOf = async (folder: string) => {
  const [, ...lines] = (await readFile(join(directory, folder, 'manifest.json'), 'utf8')).split('\n')
  const { tables, files }: Pick<Manifest, 'tables' | 'files'> = JSON.parse(lines.join('\n'))
  const rows = tables.map(async ({ name }) => {
    const packed = await readFile(join(directory, folder, `tables/${name}.copy.gz`))
    return [name, gunzipSync(packed).toString().split('\n').toSorted()] as const
  })
  const kept = files.filter(({ path }) => path.startsWith('files/') && !path.includes('/audit-heads/'))
  return {
    tables: Object.fromEntries(await Promise.all(rows)),
    files: kept.map(({ path, sha256 }) => `${path} ${sha256}`).toSorted(),
  }
}

it('a backup of what was restored has the same rows in every table and the same files', async () => {
  const restored = await command('restore', 'backup', 'same')
  expect(restored.code, restored.printed).toBe(0)
  const again = await command('backup', 'backup-same', 'same')
  expect(again.code, again.printed).toBe(0)
  const contents = await contentsOf('backup')
  expect(contents.tables['devices']).toHaveLength(2)
  expect(contents.files.some((it) => it.includes('/artifacts/'))).toBe(true)
  expect(await contentsOf('backup-same')).toEqual(contents)
})

it('the same backup is restored into an external database', async () => {
  const own: Embedded = await openEmbedded({ directory: join(directory, 'own'), durable: false })
  try {
    const more = { DATABASE_URL: own.hostUrl, DATABASE_OWNER_URL: own.url }
    const { code, printed } = await command('restore', 'backup', 'restored-own', more)
    expect(code, printed).toBe(0)
    await isRestored(await start('restored-own', more))
    const again = await command('backup', 'backup-own', 'restored-own', more)
    expect(again.code, again.printed).toBe(0)
    await stop()
  } finally {
    await own.stop()
  }
})

it('a restore into an installation that has data is refused, and changes nothing of it', async () => {
  const { code, printed } = await command('restore', 'backup', 'data')
  expect([code, printed]).toEqual([1, expect.stringContaining('The database is not empty')])
  const host = await start('data')
  const token = await (await signInOverHttp(host, person)).redeem()
  expect((await call(host.api, personalProjects, {}, { as: token })).body.projects).toHaveLength(2)
})

it('a restore of a changed, incomplete or unknown backup, or with another secret key, is refused before anything is created', async () => {
  await cp(join(directory, 'backup'), join(directory, 'changed'), { recursive: true })
  const table = join(directory, 'changed/tables/users.copy.gz')
  const rows = await readFile(table)
  rows[20] = (rows[20] ?? 0) ^ 1
  await writeFile(table, rows)
  const changed = await command('restore', 'changed', 'nowhere')
  expect([changed.code, changed.printed]).toEqual([1, expect.stringContaining('users.copy.gz is missing, incomplete or changed')])
  await rm(join(directory, 'changed/manifest.json'))
  const cut = await command('restore', 'changed', 'nowhere')
  expect([cut.code, cut.printed]).toEqual([1, expect.stringContaining('is not a complete backup')])
  const other = await command('restore', 'backup', 'nowhere', { TEASEL_SECRET_KEY: randomBytes(32).toString('base64') })
  expect([other.code, other.printed]).toEqual([1, expect.stringContaining('TEASEL_SECRET_KEY: set the key')])
  expect(await readdir(directory)).not.toContain('nowhere')
})

it('a backup never writes into an existing folder or into the data directory', async () => {
  const there = await command('backup', 'backup', 'data')
  expect([there.code, there.printed]).toEqual([1, expect.stringContaining('already exists')])
  const inside = await command('backup', 'data/backup', 'data')
  expect([inside.code, inside.printed]).toEqual([1, expect.stringContaining('Name a folder outside of it')])
})
