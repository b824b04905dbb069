import { randomBytes } from 'node:crypto'
import { mkdtemp, open, rm, utimes } from 'node:fs/promises'
import { request, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { eq } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { projectAuditLog } from '../../../../contract/accounts/audit'
import * as wire from '../../../../contract/device/endpoints'
import { release as readRelease } from '../../../../contract/updates/releases'
import * as plans from '../../../../contract/updates/rollout-plans'
import * as steps from '../../../../contract/updates/rollout-steps'
import * as contract from '../../../../contract/updates/rollouts'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import { eventOf } from '../../../../tests/support/devices'
import { freePort } from '../../../../tests/support/free-port'
import { createTestObjects } from '../../../../tests/support/test-objects'
import type { Person } from '../../../../tests/support/people'
import { createReleaseFixture } from '../../../../tests/support/release-fixture'
import { createUpload, sendBytes, uploadFile } from '../../../../tests/support/upload-file'
import { devices } from '../../../fleet/schema/devices'
import { assets } from '../../schema/releases'
import type { ArtifactStorage } from '../../../core/deps'
import { tickRollouts } from '../../rollouts/tick'
import { directoryStorage } from '../../../core/storage/directory'
import { haltRollouts } from '../../rollouts/steps/cancel'
import { verifyAssets } from './integrity'
import { within } from '../../../../tests/support/machine-load'

let api: TestApi
let directory: string
let disk: ArtifactStorage
let ines: Person
let projectId: string
let maker: Awaited<ReturnType<typeof createReleaseFixture>>
let version = 1

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'teasel-delivery-'))
  const port = await freePort()
  api = await createTestApi({ TEASEL_API_PORT: String(port) })
  disk = directoryStorage(directory)
  api.deps.storage = disk
  ines = await api.person()
  projectId = await api.project({ ownerId: ines.id })
  maker = await createReleaseFixture(api, ines, projectId)
  await api.app.listen({ port, host: '127.0.0.1' })
})
afterAll(async () => {
  await api.close()
  await rm(directory, { recursive: true, force: true })
})

afterEach(() => void (api.deps.storage = disk))

/** Like a file system that does not notice rotten bits. */
const silent = (): ArtifactStorage => ({ ...disk, stamp: async (key) => `the same as ever of ${key}` })

const fileOf = async (assetId: string) => {
  const [row] = await api.db.select().from(assets).where(eq(assets.id, assetId))
  if (!row?.storageKey) throw new Error('the asset is not stored')
  return { row, path: join(directory, row.storageKey.slice(-2), row.storageKey) }
}

const flip = async (assetId: string, at = 0) => {
  const { path } = await fileOf(assetId)
  const file = await open(path, 'r+')
  const byte = Buffer.alloc(1)
  await file.read(byte, 0, 1, at)
  await file.write(Buffer.from([(byte[0] ?? 0) ^ 1]), 0, 1, at)
  await file.close()
}

const gate = { min_success_percent: 90, max_failure_percent: 50, min_sample: 1, soak_s: 60, then: 'continue' } as const
const plan = { target: { everything: true }, waves: [{ kind: 'percent' as const, value: 100, gate }] }

const scene = async (bytes = randomBytes(300_000)) => {
  const made = await maker.signed({ version: version++, bytes, models: ['gw-imx8m'] })
  const device = await createTestObjects(api.deps).device(projectId)
  const trusting = { trustedKeys: [maker.key.publicKey.fingerprint], pollingIntervalS: 60 }
  await api.db.update(devices).set(trusting).where(eq(devices.id, device.id))
  const target = { target: { device_ids: [device.id] }, waves: plan.waves }
  const preview = () => api.call(plans.previewRollout, { releaseId: made.id }, { as: ines, body: target })
  const create = async (preview_hash: string, more: { start_at?: string } = {}) =>
    api.call(contract.createRollout, { releaseId: made.id }, { as: ines, body: { ...target, ...more, preview_hash } })
  const step = (endpoint: typeof steps.startRollout | typeof steps.resumeRollout, rolloutId: string) =>
    api.call(
      endpoint,
      { rolloutId },
      { as: ines, ...(endpoint === steps.resumeRollout && { body: { reason: 'Uploaded again' } }) },
    )
  const started = async () => {
    const rollout = await create((await preview()).body.preview_hash)
    expect(rollout.status, rollout.text).toBe(201)
    expect((await step(steps.startRollout, rollout.body.id)).status).toBe(200)
    return rollout.body.id
  }
  const asset = made.assets[0]?.id ?? ''
  const ask = () => api.call(wire.update, {}, { as: device.token })
  const fetchAsset = (headers: Record<string, string> = {}) =>
    fetch(`${api.config.urls.api}/device/v1/assets/${asset}`, {
      headers: { authorization: `Bearer ${device.token}`, ...headers },
    })
  const look = async () => (await api.call(readRelease, { releaseId: made.id }, { as: ines })).body
  const rollout = async (rolloutId: string) => (await api.call(contract.rollout, { rolloutId }, { as: ines })).body
  return { made, device, asset, bytes, preview, create, step, started, ask, fetchAsset, look, rollout }
}

const codeOf = async (answer: Response) => [answer.status, ((await answer.json()) as { error: { code: string } }).error.code]

describe('T-16: what a device gets of a file that was changed in the storage', () => {
  it('is 410 damaged, for the whole and for a range, and the rollout halts with the reason', async () => {
    const play = await scene()
    const rolloutId = await play.started()
    expect((await play.ask()).status).toBe(200)
    const good = Buffer.from(await (await play.fetchAsset()).arrayBuffer())
    expect(good.equals(play.bytes)).toBe(true)
    await flip(play.asset, 200_000)
    expect(await codeOf(await play.fetchAsset({ range: 'bytes=1000-' }))).toEqual([410, 'damaged'])
    expect(await codeOf(await play.fetchAsset())).toEqual([410, 'damaged'])
    expect(await play.rollout(rolloutId)).toMatchObject({ state: 'halted', state_reason: 'app.bin is damaged in the storage' })
    const [file] = (await play.look()).assets
    expect(file).toMatchObject({ state: 'rejected', reject_reason: 'The stored file differs from the uploaded one' })
    expect(file?.damaged_at).toMatch(/^2026-06-01T/)
    expect((await play.ask()).status).toBe(204)
    const { body } = await api.call(projectAuditLog, { projectId }, { as: ines })
    const entry = body.entries.find(({ target, action }) => action === 'asset.damage' && target.id === play.asset)
    expect(entry?.actor.kind).toBe('system')
  })

  it('never ends as a whole file, even where the file system shows no change', async () => {
    api.deps.storage = silent()
    const play = await scene()
    const rolloutId = await play.started()
    expect((await play.ask()).status).toBe(200)
    await flip(play.asset, 10)
    const cut = await play
      .fetchAsset()
      .then((answer) => answer.arrayBuffer())
      .then(
        () => 'complete',
        () => 'cut off',
      )
    expect(cut).toBe('cut off')
    expect(await codeOf(await play.fetchAsset())).toEqual([410, 'damaged'])
    expect((await play.rollout(rolloutId)).state).toBe('halted')
    const small = await scene(randomBytes(100))
    await small.started()
    await small.ask()
    await flip(small.asset)
    expect(await codeOf(await small.fetchAsset())).toEqual([410, 'damaged'])
  })

  it('is reported by the device as a wrong hash, and the server reads the file again', async () => {
    api.deps.storage = silent()
    const play = await scene()
    const rolloutId = await play.started()
    await play.ask()
    await verifyAssets({ ...api.deps, haltRollouts }, 1000, 'unverified')
    await flip(play.asset, 10)
    const report = (sequence: number) => {
      const event = eventOf({ sequence, type: 'verification_failed', rollout_id: rolloutId, reason_code: 'hash_mismatch' })
      return api.call(wire.updateEvents, {}, { as: play.device.token, body: { events: [event] } })
    }
    expect((await report(1)).status).toBe(200)
    expect((await verifyAssets({ ...api.deps, haltRollouts }, 1000, 'unverified')).checked).toBe(0)
    api.advance(601)
    expect((await report(2)).status).toBe(200)
    expect((await verifyAssets({ ...api.deps, haltRollouts }, 1000, 'unverified')).damaged).toEqual([play.asset])
    expect((await play.rollout(rolloutId)).state).toBe('halted')
  })

  it('is 503 while the storage cannot be read, and nothing is rejected for it', async () => {
    const play = await scene()
    await play.started()
    await play.ask()
    await utimes((await fileOf(play.asset)).path, new Date(), new Date())
    api.deps.storage = {
      ...disk,
      read: () => Promise.reject(Object.assign(new Error('input/output error'), { code: 'EIO', syscall: 'read' })),
    }
    expect(await codeOf(await play.fetchAsset())).toEqual([503, 'unavailable'])
    await verifyAssets({ ...api.deps, haltRollouts }, 1000)
    api.deps.storage = disk
    expect((await play.look()).assets[0]?.state).toBe('ready')
    expect(Buffer.from(await (await play.fetchAsset()).arrayBuffer()).equals(play.bytes)).toBe(true)
  })
})

describe('T-16: a rollout of a release with a damaged file', () => {
  it('can be neither previewed nor created, and an existing one is neither started nor offered', async () => {
    const play = await scene()
    const seen = await play.preview()
    const made = await play.create(seen.body.preview_hash)
    await flip(play.asset)
    const refused = [
      await play.preview(),
      await play.create(seen.body.preview_hash),
      await play.step(steps.startRollout, made.body.id),
    ]
    expect(refused.map(({ status, error }) => [status, error.code])).toEqual(refused.map(() => [409, 'asset_damaged']))
    expect(refused[0]?.error.message).toContain('app.bin is damaged in the storage. Upload the same file again')
    expect((await play.ask()).status).toBe(204)
  })

  it('that is scheduled does not start at its time, gives the reason, and starts once the file is intact again', async () => {
    const play = await scene()
    const seen = await play.preview()
    const start_at = `${new Date(api.deps.clock().getTime() + 60_000).toISOString().slice(0, 19)}+00:00`
    const made = await play.create(seen.body.preview_hash, { start_at })
    expect((await play.step(steps.startRollout, made.body.id)).body.state).toBe('scheduled')
    await flip(play.asset)
    await verifyAssets({ ...api.deps, haltRollouts }, 1000)
    api.advance(61)
    await tickRollouts(api.deps)
    const held = await play.rollout(made.body.id)
    expect([held.state, held.state_reason]).toEqual(['scheduled', expect.stringMatching(/^It cannot start: app.bin is damaged/)])
    await flip(play.asset)
    await verifyAssets({ ...api.deps, haltRollouts }, 1000)
    await tickRollouts(api.deps)
    expect((await play.rollout(made.body.id)).state).toBe('running')
  })

  it('can be resumed once the same file is uploaded again; a different file is refused', async () => {
    const play = await scene()
    const rolloutId = await play.started()
    await play.ask()
    await flip(play.asset)
    await verifyAssets({ ...api.deps, haltRollouts }, 1000)
    const early = await play.step(steps.resumeRollout, rolloutId)
    expect([early.status, early.error.code]).toEqual([409, 'asset_damaged'])
    const other = await createUpload(api, ines, play.asset, { size: play.bytes.length })
    const wrong = await sendBytes(api, ines, String(other.headers.location), 0, randomBytes(play.bytes.length))
    expect([wrong.statusCode, wrong.json().error.code]).toEqual([422, 'hash_mismatch'])
    expect(await play.look()).toMatchObject({ state: 'released', assets: [{ state: 'rejected' }] })
    await uploadFile(api, ines, play.asset, play.bytes)
    expect((await play.look()).assets[0]).toMatchObject({ state: 'ready', damaged_at: null })
    expect((await play.step(steps.resumeRollout, rolloutId)).body.state).toBe('running')
    expect((await play.ask()).status).toBe(200)
    expect(Buffer.from(await (await play.fetchAsset()).arrayBuffer()).equals(play.bytes)).toBe(true)
  })
})

it('T-16: a file whose bytes are intact again is valid after the next check', async () => {
  const play = await scene()
  await flip(play.asset)
  await verifyAssets({ ...api.deps, haltRollouts }, 1000)
  expect((await play.look()).assets[0]?.state).toBe('rejected')
  await flip(play.asset)
  await verifyAssets({ ...api.deps, haltRollouts }, 1000)
  expect((await play.look()).assets[0]).toMatchObject({ state: 'ready', damaged_at: null, reject_reason: null })
})

it('a stored file is closed when the client leaves before its first byte', async () => {
  const play = await scene()
  await play.started()
  await play.ask()
  let isGone = false
  api.app.server.once('request', (_request, response: ServerResponse) => response.once('close', () => (isGone = true)))
  const opened: Readable[] = []
  const read: ArtifactStorage['read'] = async (key, range) => {
    const bytes = await disk.read(key, range)
    opened.push(bytes)
    leaving.destroy()
    await vi.waitFor(() => expect(isGone).toBe(true), within(5000))
    return bytes
  }
  api.deps.storage = { ...disk, read }
  const headers = { authorization: `Bearer ${play.device.token}` }
  const leaving = request(`${api.config.urls.api}/device/v1/assets/${play.asset}`, { headers, agent: false })
  leaving.on('error', () => {}).end()
  await vi.waitFor(() => expect(opened.map(({ closed }) => closed)).toEqual([true]), within(5000))
})
