import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Pool } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createPool } from '../../server/core/database/clients'
import { createEnrollmentToken } from '../../contract/fleet/enrollment-tokens'
import { fromBase64, toBase64 } from '../../contract/device/bytes'
import { sign } from '../../contract/device/dsse'
import { enroll } from '../../contract/device/endpoints'
import { payloadType } from '../../contract/device/manifest'
import { generateSigningKey } from '../../contract/device/private-key'
import { pemOf } from '../../contract/device/public-key'
import { pathOf } from '../../contract/core/endpoint'
import { followEvents } from '../../contract/overview/event-stream'
import { createSigningKey } from '../../contract/fleet/keys'
import { createPersonalProject, updateProject } from '../../contract/accounts/project-changes'
import { createAsset } from '../../contract/updates/release-assets'
import { finalizeRelease, signRelease } from '../../contract/updates/release-signing'
import { createRelease, release } from '../../contract/updates/releases'
import { previewRollout } from '../../contract/updates/rollout-plans'
import { startRollout } from '../../contract/updates/rollout-steps'
import { createRollout, rollout, rolloutTimeline } from '../../contract/updates/rollouts'
import { deleteCurrentSession, sessionHeader } from '../../contract/accounts/sessions'
import { self } from '../../contract/accounts/users'
import { type Embedded, openEmbedded } from '../../server/core/database/embedded'
import { enrollBody } from '../support/devices'
import { freePort } from '../support/free-port'
import { fromBuild, type Program, startServer } from '../support/program'
import { call, statusOf } from './support/call'
import { someone } from './support/people'
import { signUpOverHttp } from './support/visitor'

type Process = { url: string; program: Program }

let directory: string
let database: Embedded
let pool: Pool
let signIn: string
let one: Process
let other: Process
let token: string
let projectId: string

const storage = () => join(directory, 'storage')
const consoleUrl = 'http://localhost:5173'

let started = 0

/** An API host on the shared database and storage, with its own data directory; the first one also serves sign-in. */
const start = async (hosts: string): Promise<Process> => {
  const port = await freePort()
  started++
  const program = startServer(
    {
      TEASEL_HOSTS: hosts,
      TEASEL_API_PORT: String(port),
      TEASEL_SIGN_IN_PORT: new URL(signIn).port,
      TEASEL_DATA_DIR: join(directory, `data-${started}`),
      TEASEL_STORAGE: storage(),
      DATABASE_URL: database.hostUrl,
      DATABASE_OWNER_URL: database.url,
      TEASEL_EMPTY: '1',
    },
    fromBuild,
  )
  await program.ready
  return { url: `http://localhost:${port}`, program }
}

const stop = async ({ program }: Process) => {
  program.child.kill('SIGTERM')
  await program.ended
}

const newSession = () => signUpOverHttp({ api: one.url, signIn, console: consoleUrl }, someone())

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'teasel-two-'))
  database = await openEmbedded({ directory: join(directory, 'postgres'), durable: false })
  pool = createPool({ connectionString: database.url })
  signIn = `http://localhost:${await freePort()}`
  one = await start('api,sign-in')
  other = await start('api')
  token = await newSession()
  projectId = (await call(other.url, createPersonalProject, {}, { as: token, body: { name: 'Gateways' } })).body.id
})

afterAll(async () => {
  await Promise.all([stop(one), stop(other)])
  await pool.end()
  await database.stop()
  await rm(directory, { recursive: true, force: true })
})

it('a session created at one process works at the other, and ends at both at once', async () => {
  const mine = await newSession()
  expect([await statusOf(one.url, self, {}, { as: mine }), await statusOf(other.url, self, {}, { as: mine })]).toEqual([200, 200])
  await call(other.url, deleteCurrentSession, {}, { as: mine })
  expect(await statusOf(one.url, self, {}, { as: mine })).toBe(401)
})

it('a stream of events at one process gets what happens at the other, and does not keep its process from ending', async () => {
  const path = pathOf(followEvents.path, { projectId })
  const stream = await fetch(`${one.url}${path}`, { headers: { [sessionHeader]: token } })
  expect(stream.status).toBe(200)
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const readUntil = async (wanted: string) => {
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
      text += part.value
      if (text.includes(wanted)) return true
    }
    return false
  }
  const settings = { body: { settings: { polling_interval_s: 240 } } as never, headers: { 'if-match': '"1"' } }
  expect((await call(other.url, updateProject, { projectId }, { as: token, ...settings })).status).toBe(200)
  expect(await readUntil('project.settings_updated')).toBe(true)
  const ends = readUntil('something that is not sent')
  await stop(one)
  expect(await ends).toBe(false)
  one = await start('api,sign-in')
})

let version = 1

const draft = async (size: number) => {
  const facts = { name: 'Firmware', version: version++, type: 'file' as const, hardware_models: ['gw-imx8m'] }
  const { body: made } = await call(one.url, createRelease, { projectId }, { as: token, body: facts })
  const file = { name: 'app.bin', kind: 'payload' as const, size, install_location: '/opt/app.bin' }
  const { body: asset } = await call(other.url, createAsset, { releaseId: made.id }, { as: token, body: file })
  return { releaseId: made.id, assetId: asset.id }
}

const tus = { 'tus-resumable': '1.0.0' }
const bytesType = 'application/offset+octet-stream'

const beginUpload = async ({ url }: Process, assetId: string, size: number): Promise<string> => {
  const facts = { filename: 'app.bin', purpose: 'release_asset', target_id: assetId }
  const metadata = Object.entries(facts).map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
  const headers = { ...tus, [sessionHeader]: token, 'upload-length': String(size), 'upload-metadata': metadata.join(',') }
  const answer = await fetch(`${url}/uploads`, { method: 'POST', headers })
  expect(answer.status, await answer.text()).toBe(201)
  return new URL(answer.headers.get('location') ?? '', url).pathname
}

const send = async ({ url }: Process, path: string, offset: number, bytes: Buffer) => {
  const headers = { ...tus, [sessionHeader]: token, 'upload-offset': String(offset), 'content-type': bytesType }
  const answer = await fetch(`${url}${path}`, { method: 'PATCH', headers, body: new Uint8Array(bytes) })
  expect(answer.status, await answer.text()).toBe(204)
  return Number(answer.headers.get('upload-offset'))
}

const offsetOf = async ({ url }: Process, path: string) => {
  const answer = await fetch(`${url}${path}`, { method: 'HEAD', headers: { ...tus, [sessionHeader]: token } })
  expect(answer.status).toBe(200)
  return Number(answer.headers.get('upload-offset'))
}

/** A client that stops in the middle of a file: announces all, sends some, keeps the connection open. */
const fallSilent = ({ url }: Process, path: string, offset: number, all: Buffer, sent: number) => {
  const headers = { ...tus, [sessionHeader]: token, 'upload-offset': String(offset), 'content-type': bytesType }
  const silent = request(`${url}${path}`, { method: 'PATCH', headers: { ...headers, 'content-length': all.length } })
  // The process that takes the upload over ends this connection.
  silent.on('error', () => {})
  silent.write(all.subarray(0, sent))
  return silent
}

it('F-11: an upload started at one process is continued by the other in the middle of a request, and is complete', async () => {
  const bytes = randomBytes(900_000)
  const { releaseId, assetId } = await draft(bytes.length)
  const path = await beginUpload(one, assetId, bytes.length)
  expect(await send(one, path, 0, bytes.subarray(0, 300_000))).toBe(300_000)
  const silent = fallSilent(one, path, 300_000, bytes.subarray(300_000), 200_000)
  const part = join(storage(), 'uploads', `${path.split('/').at(-1)}.part`)
  await expect.poll(async () => (await stat(part)).size).toBeGreaterThan(300_000)
  const offset = await offsetOf(other, path)
  expect(offset).toBeGreaterThan(300_000)
  expect(offset).toBeLessThanOrEqual(500_000)
  expect(await send(other, path, offset, bytes.subarray(offset))).toBe(bytes.length)
  silent.destroy()
  const { body: made } = await call(one.url, release, { releaseId }, { as: token })
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  expect(made.assets).toMatchObject([{ state: 'ready', size: bytes.length, sha256 }])
})

/** A signed release for a device that trusts its key. */
const signedRelease = async () => {
  const key = await generateSigningKey('ed25519')
  const keyBody = {
    name: key.publicKey.fingerprint.slice(0, 8),
    algorithm: 'ed25519' as const,
    public_key_pem: pemOf(key.publicKey),
  }
  const { body: registered } = await call(one.url, createSigningKey, { projectId }, { as: token, body: keyBody })
  const { body: enrollment } = await call(
    one.url,
    createEnrollmentToken,
    { projectId },
    { as: token, body: { name: keyBody.name, auto_accept: true } },
  )
  const device = enrollBody({ trusted_keys: [key.publicKey.fingerprint] })
  await call(other.url, enroll, {}, { as: enrollment.token, body: device })
  const { releaseId, assetId } = await draft(10)
  await send(other, await beginUpload(one, assetId, 10), 0, randomBytes(10))
  const { body } = await call(one.url, finalizeRelease, { releaseId }, { as: token, body: {} })
  const { signature } = await sign(key, payloadType, fromBase64(body.to_sign.payload_base64) ?? new Uint8Array())
  const signed = { key_id: registered.id, signature_base64: toBase64(signature) }
  await call(other.url, signRelease, { releaseId }, { as: token, body: signed })
  return releaseId
}

/** Rollouts that are not due yet. */
const scheduled = async (count: number) => {
  const releaseId = await signedRelease()
  const ids: string[] = []
  for (let n = 0; n < count; n++) {
    const plan = { target: { everything: true } }
    const { body: seen } = await call(one.url, previewRollout, { releaseId }, { as: token, body: plan })
    // Devices of earlier tests do not trust this key, which does not matter here.
    const facts = { start_at: '2100-01-01T00:00:00Z', override_reason: 'Only the clock matters here' }
    const body = { ...plan, ...facts, preview_hash: seen.preview_hash }
    const { body: made } = await call(other.url, createRollout, { releaseId }, { as: token, body })
    const begun = await call(other.url, startRollout, { rolloutId: made.id }, { as: token })
    expect(begun.body.state).toBe('scheduled')
    ids.push(made.id)
  }
  return ids
}

const becomeDue = (ids: string[]) => pool.query('update rollouts set start_at = now() where id = any($1)', [ids])

const stateOf = async (rolloutId: string, at: Process) => (await call(at.url, rollout, { rolloutId }, { as: token })).body.state

const starts = async (rolloutId: string) => {
  const { body } = await call(other.url, rolloutTimeline, { rolloutId }, { as: token })
  return body.entries.filter(({ kind }) => kind === 'rollout.started').length
}

const haveStarted = async (ids: string[], at: Process) => {
  for (const id of ids) await expect.poll(() => stateOf(id, at), { interval: 200 }).toBe('running')
  expect(await Promise.all(ids.map(starts))).toEqual(ids.map(() => 1))
}

it('the rollout tick runs once for both processes, never twice at a time, and each start happens once', async () => {
  const ids = await scheduled(4)
  await becomeDue(ids)
  await haveStarted(ids, one)
  const { rows: slots } = await pool.query(
    `select singleton_on, count(*)::int as n from pgboss.job where name = 'rollouts' group by 1 having count(*) > 1`,
  )
  expect(slots).toEqual([])
  const { rows: twins } = await pool.query(
    `select a.id from pgboss.job a join pgboss.job b on a.name = b.name and a.id < b.id
     where a.name = 'rollouts' and tstzrange(a.started_on, a.completed_on) && tstzrange(b.started_on, b.completed_on)
     and a.started_on is not null and b.started_on is not null`,
  )
  expect(twins).toEqual([])
  const { rows } = await pool.query(`select count(*)::int as n from pgboss.job where name = 'rollouts' and state = 'completed'`)
  expect(rows[0].n).toBeGreaterThan(1)
})

const waitsForLock = `select 1 from pg_locks where relation = 'rollouts'::regclass and not granted`

it('F-16: a process that is killed in the middle of a tick does not keep the other from ticking', async () => {
  const ids = await scheduled(2)
  await stop(other)
  const holder = await pool.connect()
  // It can be read: the tick waits for the lock of a rollout.
  await holder.query('begin; lock table rollouts in exclusive mode')
  await expect.poll(async () => (await pool.query(waitsForLock)).rowCount).toBeGreaterThan(0)
  await one.program.killAll()
  await holder.query('rollback')
  holder.release()
  await becomeDue(ids)
  ;[one, other] = [await start('api,sign-in'), await start('api')]
  await haveStarted(ids, other)
})
