import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { and, asc, eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Device } from '../device'
import { devices } from '../../server/fleet/schema/devices'
import { deviceLogs, metricPoints } from '../../server/fleet/schema/telemetry.partitioned'
import { issueDeviceToken } from '../../server/fleet/devices/device-token.repository'
import { newRow } from '../../server/core/database/row'
import { createTestApi, type TestApi } from '../../tests/support/api'
import { freePort } from '../../tests/support/free-port'
import { makeDirectory } from '../core/files'
import { deviceApi } from '../api-client/device-api'
import { Refused } from '../api-client/http'
import { openStore } from '../state/store'
import { logOf } from './log'
import { startReporter } from './reporter'
import { within } from '../../tests/support/machine-load'

let api: TestApi
let projectId: string
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'teasel-report-'))
  const port = await freePort()
  api = await createTestApi({ TEASEL_API_PORT: String(port) })
  await api.app.listen({ port, host: '127.0.0.1' })
  projectId = await api.project({ ownerId: (await api.person()).id })
})
afterAll(async () => {
  await api.close()
  rmSync(folder, { recursive: true, force: true })
})

const leave = (free: number) => void (api.deps.diskSpace = async () => ({ free, total: 0 }))

/** A device of the server, and an agent's reporting parts that use its token over HTTP. */
const reporting = async (name: string) => {
  const now = api.deps.clock()
  const facts = { hardwareModel: 'gw', lifecycle: 'active' as const, enrollment: 'group' as const }
  const row = { ...newRow(now), projectId, name, ...facts }
  await api.db.insert(devices).values(row)
  const token = await issueDeviceToken(api.db, { projectId, deviceId: row.id }, now)
  // The server may request a pause of 0, so that the test need not wait.
  const bounds = { leastS: 0, mostS: 0 }
  const connection = { origin: api.config.urls.api, timeoutMs: 10_000, token: () => token, bounds }
  const clock = { now: () => api.deps.clock().getTime(), atLeast: () => {}, follow: () => {} }
  const bootId = '0b54b1e2-6f0e-4a3f-9d3a-6f1f0a9d7c11'
  makeDirectory(join(folder, name))
  const log = logOf(openStore(join(folder, name)), clock, { level: 'info', upload: true, bootId })
  const stored = async () =>
    api.db.select().from(deviceLogs).where(eq(deviceLogs.deviceId, row.id)).orderBy(asc(deviceLogs.sequence))
  const points = async () =>
    api.db
      .select()
      .from(metricPoints)
      .where(and(eq(metricPoints.deviceId, row.id), eq(metricPoints.name, 'load.1m')))
  return { deviceId: row.id, api: deviceApi(connection), log, stored, points }
}

/** Sends the waiting lines, with the pauses that the server requests; the test's clock advances five seconds a batch. */
const flushAll = async ({ api: server, log, stored }: Awaited<ReturnType<typeof reporting>>, count: number) => {
  for (let round = 0; round < 100 && (await stored()).length < count; round++) {
    if (!(await log.flush(server))) await pause(100)
    api.advance(5)
  }
}

it('F-19: log lines refused for lack of disk space are kept and sent once, in order, when space is free', async () => {
  const device = await reporting('lines')
  const count = 1500
  leave(0)
  for (let n = 1; n <= count; n++) {
    device.log.info(`line ${n} ${'x'.repeat(n % 100 === 0 ? 4000 : 20)}`)
    if (n % 300 !== 0) continue
    const refused: unknown = await device.log.flush(device.api).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(Refused)
    expect(refused).toMatchObject({ status: 507, code: 'no_space' })
  }
  expect(await device.stored()).toEqual([])
  leave(100 * 2 ** 30)
  await flushAll(device, count)
  const lines = await device.stored()
  expect(lines.map(({ message }) => Number(message.split(' ')[1]))).toEqual(Array.from({ length: count }, (_, n) => n + 1))
})

it('lines that exceed the rate limit of the server are sent later', async () => {
  const device = await reporting('many')
  for (let n = 1; n <= 1200; n++) device.log.info(`line ${n}`)
  while (await device.log.flush(device.api));
  expect((await device.stored()).length).toBe(500)
  // The requested pause is over.
  await pause(1100)
  api.advance(30)
  while (await device.log.flush(device.api));
  expect((await device.stored()).length).toBe(1000)
  await pause(1100)
  api.advance(30)
  while (await device.log.flush(device.api));
  expect((await device.stored()).map(({ message }) => Number(message.split(' ')[1]))).toEqual(
    Array.from({ length: 1200 }, (_, n) => n + 1),
  )
})

it('long lines are sent in batches that the server accepts', async () => {
  const device = await reporting('long')
  for (let n = 1; n <= 400; n++) device.log.info(`line ${n} ${'y'.repeat(4000)}`)
  await flushAll(device, 400)
  expect((await device.stored()).length).toBe(400)
})

it('F-19: measurements refused for lack of disk space are kept and sent when space is free', async () => {
  const device = await reporting('metrics')
  leave(0)
  let measured = 0
  const start = api.deps.clock().getTime()
  const clock = { now: () => start + 10 * ++measured, atLeast: () => {}, follow: () => {} }
  const config = { persistent_directory: folder, metrics_interval_s: 0.02 }
  // The reporter uses only these parts of a device.
  const parts = { api: device.api, clock, config, log: device.log, identity: () => ({}) } as unknown as Device
  const reporter = startReporter(parts)
  await expect.poll(() => measured, { timeout: within(10_000) }).toBeGreaterThan(20)
  expect(await device.points()).toEqual([])
  leave(100 * 2 ** 30)
  reporter.stop()
  await expect
    .poll(
      async () => {
        await reporter.flush()
        return (await device.points()).length
      },
      { timeout: within(10_000) },
    )
    .toBe(measured)
})
