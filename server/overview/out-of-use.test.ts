import { afterAll, beforeAll, expect, it } from 'vitest'
import { bulkChangeDevices, deviceJobRows } from '../../contract/fleet/device-jobs'
import { decommissionDevice } from '../../contract/fleet/device-lifecycle'
import * as wire from '../../contract/device/endpoints'
import { device, devices } from '../../contract/fleet/devices'
import { overview } from '../../contract/overview/monitor'
import { project } from '../../contract/accounts/projects'
import { createTestApi, type TestApi } from '../../tests/support/api'
import { checkInBody } from '../../tests/support/devices'
import { createTestObjects } from '../../tests/support/test-objects'
import { formatTimestamp } from '../core/timestamps'
import { runDeviceJobs } from '../fleet/device-jobs/run'
import { readInstallation } from './metrics/repository'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

/** Two devices that have just checked in, of which one is decommissioned. */
const scene = async () => {
  const ann = await api.person()
  const projectId = await api.project({ ownerId: ann.id })
  const make = () => createTestObjects(api.deps).device(projectId)
  const [used, gone] = [await make(), await make()]
  for (const as of [used, gone]) expect((await api.call(wire.checkIn, {}, { as, body: checkInBody() })).status).toBe(200)
  const before = (await api.call(overview, { projectId }, { as: ann })).body.counts
  expect([before.total, before.online]).toEqual([2, 2])
  expect((await api.call(decommissionDevice, { deviceId: gone.id }, { as: ann })).status).toBe(200)
  return { ann, projectId, used, gone }
}

it('a decommissioned device is counted by no page, and is no longer expected to check in', async () => {
  const { ann, projectId, used, gone } = await scene()
  const shown = (await api.call(device, { deviceId: gone.id }, { as: ann })).body
  expect([shown.health.status, shown.next_check_in_at]).toEqual(['unknown', null])
  const { counts, versions } = (await api.call(overview, { projectId }, { as: ann })).body
  expect([counts.total, counts.online, counts.attention]).toEqual([1, 1, 0])
  expect(versions.reduce((sum, { count }) => sum + count, 0)).toBe(1)
  const card = (await api.call(project, { projectId }, { as: ann })).body.counts
  expect([card.devices, card.devices_online]).toEqual([1, 1])
  const list = async (query: Record<string, string>) => {
    const { devices: found, total, facets } = (await api.call(devices, { projectId }, { as: ann, query })).body
    return {
      ids: found.map(({ id }) => id).toSorted(),
      total,
      online: facets.connectivity.find(({ value }) => value === 'online')?.count,
    }
  }
  expect(await list({ connectivity: 'online' })).toEqual({ ids: [used.id], total: 1, online: 1 })
  for (const [name, value] of [
    ['health', 'unknown'],
    ['health', 'healthy'],
    ['update', 'none'],
    ['version_lt', '9'],
  ] as const)
    expect((await list({ [name]: value })).ids, `${name} ${value}`).not.toContain(gone.id)
  // The whole list has it, and one that asks for it.
  expect(await list({})).toEqual({ ids: [used.id, gone.id].toSorted(), total: 2, online: 1 })
  expect((await list({ lifecycle: 'decommissioned' })).ids).toEqual([gone.id])
})

it('the metrics of the installation count devices in use', async () => {
  const count = async () => Object.values((await readInstallation(api.db)).teasel_devices).reduce((sum, n) => sum + n, 0)
  const before = await count()
  await scene()
  expect((await count()) - before).toBe(1)
})

it('a bulk change of updates fails for a decommissioned device, and says why', async () => {
  const { ann, projectId, used, gone } = await scene()
  const until = formatTimestamp(new Date(api.deps.clock().getTime() + 3_600_000))
  for (const change of [{ action: 'pause_until', args: { until } }, { action: 'disable_updates' }] as const) {
    const body = { selection: { ids: [used.id, gone.id] }, expected_count: 2, ...change }
    const made = await api.call(bulkChangeDevices, { projectId }, { as: ann, body })
    expect(made.status, made.text).toBe(202)
    const { body: job } = made
    await runDeviceJobs(api.deps, { copyClientState: async () => {}, hasUnapprovedRollout: async () => false })
    const rows = async (result: 'done' | 'failed') =>
      (await api.call(deviceJobRows, { jobId: job.job_id }, { as: ann, query: { result } })).body.rows
    expect((await rows('done')).map((row) => row.device.id)).toEqual([used.id])
    expect(await rows('failed')).toMatchObject([
      { device: { id: gone.id }, code: 'conflict', message: 'Not possible with a device that is decommissioned' },
    ])
  }
})
