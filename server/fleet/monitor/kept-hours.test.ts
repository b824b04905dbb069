import { afterAll, beforeAll, expect, it } from 'vitest'
import { deviceMetrics, projectMetrics } from '../../../contract/overview/monitor'
import { planLimits } from '../../../contract/accounts/plan-limits'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import type { Person } from '../../../tests/support/people'
import { insertDevice } from '../devices/repository'
import { insertMetrics } from '../telemetry/metrics.repository'
import { applyRetention } from '../telemetry/retention'
import { rollUp } from '../telemetry/roll-up.repository'

let api: TestApi
let ann: Person
let projectId: string
let deviceId: string
/** Of the first values, which are kept by the hour only, and of the newest ones. */
let first: number
let newest: number
const name = 'app.queue_length'
const hour = 3_600_000
const minute = 60_000

beforeAll(async () => {
  api = await createTestApi()
  ann = await api.person()
  projectId = await api.project({ ownerId: ann.id })
  const facts = { hardwareModel: 'gw', lifecycle: 'active', enrollment: 'single' } as const
  deviceId = (await insertDevice(api.db, { projectId, name: 'gateway', ...facts }, api.deps.clock())).id
  const measure = async (...points: [tsMs: number, value: number][]) => {
    const made = points.map(([tsMs, value]) => ({ name, unit: null, tsMs, value }))
    const latest = made.slice(-1).map(({ tsMs: at, value }) => ({ name, unit: null, at, value, level: 'healthy' as const }))
    const known = latest.map((one) => ({ ...one, since: null, easedAt: null }))
    const isFirst = points[0]?.[0] === first
    const batch = { owner: { projectId, deviceId }, points: made, areNew: true, latest: isFirst ? known : null, before: null }
    await insertMetrics(api.db, [batch])
    await rollUp(api.db, api.deps.clock())
  }
  first = Math.floor(api.deps.clock().getTime() / hour) * hour
  await measure([first, 10], [first + 30 * minute, 20])
  api.advance(planLimits.production.metrics_raw_days * 86_400 + 6 * 3600 + 20 * 60)
  await rollUp(api.db, api.deps.clock())
  await applyRetention(api.db, api.deps.clock())
  newest = Math.floor(api.deps.clock().getTime() / hour) * hour
  await measure([newest - 2 * hour, 40], [newest - hour, 50], [newest, 60], [newest + minute, 90])
  ann = { ...ann, ...(await api.session(ann.id)) }
})
afterAll(() => api.close())

type Asked = { from: number; to: number; step_s?: number; group_by?: 'model' }
const valuesOf = ({ step_s, series }: { step_s: number; series: { points: (readonly [number, number | null])[] }[] }) => ({
  step_s,
  values: series[0]?.points.flatMap(([at, value]) => (value === null ? [] : [[at, value]])),
})
const readDevice = async (query: Asked) =>
  valuesOf((await api.call(deviceMetrics, { deviceId }, { as: ann, query: { names: name, ...query } })).body)
const readFleet = async (query: Asked) =>
  valuesOf((await api.call(projectMetrics, { projectId }, { as: ann, query: { names: name, ...query } })).body)

it('a range that begins before the single values of a device are kept ends with its newest ones', async () => {
  expect(await readDevice({ from: first, to: newest + hour, step_s: 3600 })).toEqual({
    step_s: 3600,
    values: [
      [first, 15],
      [newest - 2 * hour, 40],
      [newest - hour, 50],
      [newest, 75],
    ],
  })
})

it.each([
  ['of a device', readDevice],
  ['of the fleet', readFleet],
  ['of a group', (query: Asked) => readFleet({ ...query, group_by: 'model' })],
] as const)('a short range %s from before single values are kept is read by the hour', async (_, read) => {
  const hourly = { step_s: 3600, values: [[first, 15]] }
  expect(await read({ from: first, to: first + hour })).toEqual(hourly)
  expect(await read({ from: first, to: first + hour, step_s: 300 })).toEqual(hourly)
  expect(await read({ from: first, to: first + 4 * hour, step_s: 5400 })).toMatchObject({ step_s: 7200 })
})
