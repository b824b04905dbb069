import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { setAvatar } from '../../../contract/accounts/account'
import * as device from '../../../contract/device/endpoints'
import { importDevices } from '../../../contract/fleet/device-imports'
import { bulkChangeDevices, undoDeviceJob } from '../../../contract/fleet/device-jobs'
import type { Endpoint } from '../../../contract/core/endpoint'
import { endpoints } from '../../../contract/endpoints'
import { lowSpaceHeader, maxBodyBytes } from '../../../contract/core/limits'
import { createLogSummary } from '../../../contract/fleet/log-summaries'
import { createAsset } from '../../../contract/updates/release-assets'
import { createRelease, release, updateRelease } from '../../../contract/updates/releases'
import { addSimulatedDevices } from '../../../contract/fleet/simulated-devices'
import { createRollout } from '../../../contract/updates/rollouts'
import { haltRollout, rollBackRollout } from '../../../contract/updates/rollout-steps'
import { self, updateSelf } from '../../../contract/accounts/users'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { checkInBody, eventOf } from '../../../tests/support/devices'
import { addManyDevices } from '../../../tests/support/many-devices'
import type { Person } from '../../../tests/support/people'
import { png } from '../../../tests/support/pictures'
import { createRolloutFixture, waves } from '../../../tests/support/rollout-fixture'
import { createUpload, endUpload, sendBytes } from '../../../tests/support/upload-file'
import { copyDdiDevice } from '../../ddi/devices.repository'
import { runDeviceJobs } from '../../fleet/device-jobs/run'
import { hasUnapprovedRollout } from '../../updates/rollouts/steps/unapproved.repository'
import { issueDeviceToken } from '../../fleet/devices/device-token.repository'
import { formatTimestamp } from '../timestamps'
import { within } from '../../../tests/support/machine-load'

const GIB = 2 ** 30
let api: TestApi
let ines: Person
let projectId: string
let rolling: Awaited<ReturnType<typeof createRolloutFixture>>

beforeAll(async () => {
  api = await createTestApi()
  ines = await api.person()
  projectId = await api.project({ ownerId: ines.id })
  rolling = await createRolloutFixture(api, ines, projectId, 4)
})
afterAll(() => api.close())
afterEach(() => leave(10 * GIB))

const leave = (free: number, total = 100 * GIB) => void (api.deps.diskSpace = async () => ({ free, total }))
/** The larger limit of a disk of 100 GiB is the percentage. */
const low = () => leave(5 * GIB - 1)

const all: Endpoint[] = [...Object.values(endpoints), ...Object.values(device)]
const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`

const tokenOf = (deviceId: string) => issueDeviceToken(api.db, { projectId, deviceId }, api.deps.clock())

const sendLine = async (token: string, sequence: number) => {
  const { boot_id } = checkInBody()
  const payload = JSON.stringify({ sequence, ts_ms: 1000, level: 'info', unit: 'kernel', message: 'up', boot_id })
  const host = new URL(api.config.urls.api).host
  const headers = { host, authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' }
  return api.app.inject({ method: 'POST', url: device.logs.path, payload, headers })
}

describe('F-19: endpoints that need free space', () => {
  it('are exactly these', () => {
    expect(all.filter(({ needsSpace }) => needsSpace).map(nameOf)).toEqual([
      'POST /users/self/avatar',
      'POST /projects/:projectId/devices/import',
      'POST /projects/:projectId/devices/bulk',
      'POST /jobs/:jobId/undo',
      'POST /devices/:deviceId/log_summaries',
      'POST /projects/:projectId/releases',
      'PATCH /releases/:releaseId',
      'POST /releases/:releaseId/rollouts',
      'POST /uploads',
      'PATCH /uploads/:uploadId',
      'POST /projects/:projectId/simulated_devices',
      'POST /device/v1/metrics',
      'POST /device/v1/logs',
    ])
  })

  it('include every body of bytes or NDJSON and every larger one, unless the contract says otherwise', () => {
    const isBulk = ({ method, accepts, maxBytes = 0 }: Endpoint) =>
      ['POST', 'PUT', 'PATCH'].includes(method) && (accepts === 'bytes' || accepts === 'ndjson' || maxBytes > maxBodyBytes)
    expect(all.filter((endpoint) => isBulk(endpoint) && endpoint.needsSpace === undefined).map(nameOf)).toEqual([])
  })
})

describe('F-19: below the limit of free space', () => {
  it('each of them answers 507 and stores nothing, and accepts the same request when space is free again', async () => {
    const [deviceId = ''] = rolling.ids
    const token = await tokenOf(deviceId)
    const releaseId = rolling.release.id
    const draft = await rolling.maker.draft({ version: 50, bytes: randomBytes(10) })
    const file = { name: 'part.bin', kind: 'payload' as const, size: 10, install_location: '/opt/part' }
    const asset = await api.call(createAsset, { releaseId: draft.releaseId }, { as: ines, body: file })
    const begun = String((await createUpload(api, ines, draft.assetId, { size: 10 })).headers.location)
    const { revision } = (await api.call(release, { releaseId: draft.releaseId }, { as: ines })).body
    const plan = { target: { everything: true }, waves: waves(100) }
    const { preview_hash } = await rolling.preview(plan)
    const now = api.deps.clock()
    const span = { from: formatTimestamp(new Date(now.getTime() - 60_000)), to: formatTimestamp(now) }
    const newRelease = { name: 'Next', version: 60, type: 'file' as const, hardware_models: ['gw'] }
    const point = { name: 'cpu.usage_percent', unit: '%', ts_ms: now.getTime(), value: 12 }
    const empty = await api.project({ ownerId: ines.id }, 'Imports')
    const line = { text: '{"controller_id":"cam-1"}', type: 'application/x-ndjson' as const }
    const fleet = await api.project({ ownerId: ines.id }, 'Fleet')
    await addManyDevices(api, { projectId: fleet, count: 1, trustedKeys: [] })
    const change = { selection: { filter: {} }, expected_count: 1, action: 'disable_updates' as const }
    const changed = await api.call(bulkChangeDevices, { projectId: fleet }, { as: ines, body: change })
    await runDeviceJobs(api.deps, { copyClientState: copyDdiDevice, hasUnapprovedRollout })
    const calls: [Endpoint, () => Promise<{ status: number } | { statusCode: number }>][] = [
      [setAvatar, () => api.call(setAvatar, {}, { as: ines, body: { image: new Blob([png(8, 8)]) } })],
      [
        importDevices,
        () => api.call(importDevices, { projectId: empty }, { as: ines, rows: line, query: { hardware_model: 'gw' } }),
      ],
      [bulkChangeDevices, () => api.call(bulkChangeDevices, { projectId: fleet }, { as: ines, body: change })],
      [undoDeviceJob, () => api.call(undoDeviceJob, { jobId: changed.body.job_id }, { as: ines })],
      [createLogSummary, () => api.call(createLogSummary, { deviceId }, { as: ines, body: span })],
      [createRelease, () => api.call(createRelease, { projectId }, { as: ines, body: newRelease })],
      [
        updateRelease,
        () => {
          const headers = { 'if-match': `"${revision}"` }
          return api.call(updateRelease, { releaseId: draft.releaseId }, { as: ines, body: { notes: 'n' }, headers })
        },
      ],
      [
        createRollout,
        () => {
          const body = { ...plan, max_concurrent: 10, preview_hash }
          return api.call(createRollout, { releaseId }, { as: ines, body })
        },
      ],
      [all.find((one) => nameOf(one) === 'POST /uploads') ?? self, () => createUpload(api, ines, asset.body.id, { size: 10 })],
      [
        all.find((one) => nameOf(one) === 'PATCH /uploads/:uploadId') ?? self,
        () => sendBytes(api, ines, begun, 0, randomBytes(5)),
      ],
      [addSimulatedDevices, () => api.call(addSimulatedDevices, { projectId: empty }, { as: ines })],
      [device.metrics, () => api.call(device.metrics, {}, { as: token, body: { points: [point] } })],
      [device.logs, () => sendLine(token, 1)],
    ]
    expect(calls.map(([endpoint]) => nameOf(endpoint))).toEqual(all.filter(({ needsSpace }) => needsSpace).map(nameOf))
    const statuses = async () => {
      const found: string[] = []
      for (const [endpoint, send] of calls) {
        const answer = await send()
        found.push(`${'status' in answer ? answer.status : answer.statusCode} ${nameOf(endpoint)}`)
      }
      return found
    }
    low()
    expect(await statuses()).toEqual(calls.map(([endpoint]) => `507 ${nameOf(endpoint)}`))
    leave(10 * GIB)
    const answers = await statuses()
    expect(answers.filter((one) => !/^20\d /.test(one))).toEqual([])
    await endUpload(api, ines, begun)
  })

  it('a device gets Retry-After, and a person a message that says what to do', async () => {
    const [, deviceId = ''] = rolling.ids
    const token = await tokenOf(deviceId)
    low()
    const refused = await sendLine(token, 1)
    expect([refused.statusCode, refused.headers['retry-after'], refused.json().error.code]).toEqual([507, '60', 'no_space'])
    const picture = await api.call(setAvatar, {}, { as: ines, body: { image: new Blob([png(8, 8)]) } })
    expect([picture.status, picture.error.message, picture.headers['retry-after']]).toEqual([
      507,
      'The server is low on disk space. Free some space, then try again',
      undefined,
    ])
  })

  it('a rollout is halted and rolled back, and devices check in, report and get their update', async () => {
    const { id: rolloutId } = await rolling.start()
    await rolling.tick()
    const [deviceId = '', other = ''] = rolling.ids
    const [token, otherToken] = [await tokenOf(deviceId), await tokenOf(other)]
    const trusted_keys = [rolling.maker.key.publicKey.fingerprint]
    low()
    expect((await api.call(device.checkIn, {}, { as: token, body: checkInBody({ trusted_keys }) })).status).toBe(200)
    expect((await api.call(device.update, {}, { as: token })).status).toBe(200)
    const facts = { rollout_id: rolloutId, release_id: rolling.release.id, version: 2 }
    const said = (['update_accepted', 'download_completed', 'update_confirmed'] as const).map((type, n) =>
      eventOf({ ...facts, sequence: n + 1, type }),
    )
    const taken = await api.call(device.updateEvents, {}, { as: token, body: { events: said } })
    expect([taken.status, taken.body.accepted]).toEqual([200, 3])
    expect((await api.call(device.putAttributes, {}, { as: otherToken, body: { os_name: 'Yocto' } })).status).toBe(204)
    const halted = await api.call(haltRollout, { rolloutId }, { as: ines, body: { reason: 'the disk is full' } })
    expect([halted.status, halted.body.state]).toEqual([200, 'halted'])
    expect((await api.call(rollBackRollout, { rolloutId }, { as: ines, body: { reason: 'the disk is full' } })).status).toBe(200)
    expect((await api.call(updateSelf, {}, { as: ines, body: { full_name: 'Ines' } })).status).toBe(200)
  })

  it('an upload whose bytes have all arrived is completed', async () => {
    const bytes = randomBytes(100)
    const { releaseId, assetId } = await rolling.maker.draft({ version: 70, bytes })
    const identity = { fingerprint: 'a'.repeat(64) }
    const made = await createUpload(api, ines, assetId, { size: bytes.length, ...identity })
    const location = String(made.headers.location)
    expect((await sendBytes(api, ines, location, 0, bytes, identity)).statusCode).toBe(204)
    low()
    const sha256 = Buffer.from(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes))).toString('hex')
    expect((await sendBytes(api, ines, location, bytes.length, Buffer.alloc(0), { sha256 })).statusCode).toBe(204)
    expect((await api.call(release, { releaseId }, { as: ines })).body.assets[0]?.state).toBe('ready')
  })

  it('uses the free share of the disk, and a fixed number of bytes on a small disk', async () => {
    const [, , deviceId = ''] = rolling.ids
    const token = await tokenOf(deviceId)
    const { dataDirectory } = api.config
    const space = { free: 100 * GIB, total: 100 * GIB }
    api.deps.diskSpace = async (directory) => (directory === dataDirectory ? { ...space, free: GIB } : space)
    expect((await sendLine(token, 1)).statusCode).toBe(507)
    leave(api.config.limits.freeBytes - 1, 2 * GIB)
    expect((await sendLine(token, 1)).statusCode).toBe(507)
    leave(api.config.limits.freeBytes, 2 * GIB)
    expect((await sendLine(token, 1)).statusCode).toBe(202)
  })

  it('logs the change once, and not each refusal', async () => {
    const [, , , deviceId = ''] = rolling.ids
    const token = await tokenOf(deviceId)
    const before = api.lines.length
    low()
    for (let n = 0; n < 5; n++) expect((await sendLine(token, n + 1)).statusCode).toBe(507)
    leave(10 * GIB)
    expect((await sendLine(token, 1)).statusCode).toBe(202)
    const said = api.lines.slice(before).map((line) => JSON.parse(line) as { level: number; msg: string })
    expect(said.filter(({ level }) => level > 30).map(({ msg }) => msg)).toEqual([
      'disk space is low: large writes are refused',
      'disk space is sufficient: large writes are accepted again',
    ])
  })
})

describe('F-19: the notice of low disk space', () => {
  const isTold = async (as: Person) => {
    const { headers, status } = await api.call(self, {}, { as })
    expect(status).toBe(200)
    return headers[lowSpaceHeader.toLowerCase()] !== undefined
  }
  const known = async (as: Person, low: boolean) => {
    // The value that was read last counts, for at most a second.
    await expect.poll(() => isTold(as), { timeout: within(10_000), interval: 100 }).toBe(low)
  }

  it('is shown only to people who run an organization or a project of their own, until space is free again', async () => {
    const owner = await api.person()
    const { id } = await api.organization(owner)
    const member = (role: Parameters<typeof api.member>[1]) => api.member(id, role)
    const told = [ines, owner, await member('admin'), await member('operator')]
    const others = [
      await member('developer'),
      await member('viewer'),
      await member('auditor'),
      await member('billing'),
      await api.guest(projectId, 'maintainer'),
      await api.person(),
    ]
    low()
    await known(ines, true)
    expect(await Promise.all([...told, ...others].map(isTold))).toEqual([...told.map(() => true), ...others.map(() => false)])
    const refused = await api.call(release, { releaseId: '0'.repeat(26) }, { as: owner })
    expect([refused.status, refused.headers[lowSpaceHeader.toLowerCase()]]).toEqual([404, '1'])
    leave(10 * GIB)
    await known(ines, false)
  })
})
