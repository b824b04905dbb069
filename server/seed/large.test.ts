import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { devices } from '../../contract/fleet/devices'
import { deviceSystemLogs } from '../../contract/fleet/device-logs'
import { deviceMetrics, projectMetricNames, projectMetrics } from '../../contract/overview/monitor'
import { createTestApi, type TestApi } from '../../tests/support/api'
import type { Person } from '../../tests/support/people'
import { projects } from '../accounts/schema/projects'
import { users } from '../accounts/schema/people'
import { findWrongCounts } from '../fleet/devices/state/counts.repository'
import type { Progress } from './large.repository'
import { requireLocal, seedLarge } from './run-large'

const sizes = { devices: 1200, logLines: 3000, hours: 30, measured: 3 }
let api: TestApi
let ann: Person
let email: string
beforeAll(async () => {
  api = await createTestApi()
  ann = await api.person()
  const [user] = await api.db.select().from(users).where(eq(users.id, ann.id))
  email = user?.email ?? ''
})
afterAll(() => api.close())

const seed = (onProgress: Progress, signal = new AbortController().signal) =>
  seedLarge(api.deps, { email, sizes, onProgress, signal })

it('fills a project with devices, log lines and charts, and shows how far it is', async () => {
  const shown: string[] = []
  const projectId = await seed((part, done, of) => void shown.push(`${part} ${done}/${of}`))
  expect(shown.slice(0, 2)).toEqual(['devices 1000/1200', 'devices 1200/1200'])
  expect(shown).toContain('log lines 3000/3000')
  const list = (await api.call(devices, { projectId }, { as: ann })).body
  expect(list.facets.connectivity.reduce((sum, { count }) => sum + count, 0)).toBe(1200)
  expect(await findWrongCounts(api.db)).toEqual([])

  const deviceId = list.devices[0]?.id ?? ''
  const log = (await api.call(deviceSystemLogs, { deviceId }, { as: ann })).body
  expect(log.lines).toHaveLength(3)
  const names = 'cpu.usage_percent'
  const to = api.deps.clock().getTime()
  const query = { names, from: to - 24 * 3_600_000, to }
  const listed = (await api.call(projectMetricNames, { projectId }, { as: ann })).body.metric_names
  expect(listed.map(({ devices: n }) => n)).toEqual([1200, 1200, 1200, 1200])
  for (const { body } of [
    await api.call(projectMetrics, { projectId }, { as: ann, query }),
    await api.call(projectMetrics, { projectId }, { as: ann, query: { ...query, group_by: 'model' } }),
    await api.call(deviceMetrics, { deviceId }, { as: ann, query }),
  ])
    expect(body.series[0]?.points.filter(([, value]) => value !== null).length).toBeGreaterThan(20)
})

it('ends after the running statement when it is cancelled; the project stays with what it has, counted', async () => {
  const cancelled = new AbortController()
  api.advance(1)
  await expect(seed(() => cancelled.abort(), cancelled.signal)).rejects.toThrow('aborted')
  const [last] = await api.db
    .select()
    .from(projects)
    .orderBy(sql`created_at desc, id desc`)
    .limit(1)
  expect((await api.call(devices, { projectId: last?.id ?? '' }, { as: ann })).body.total).toBe(1000)
  expect(await findWrongCounts(api.db)).toEqual([])
})

it('refuses an account that does not exist, and every environment that others can reach', async () => {
  const asked = { sizes, onProgress: () => {}, signal: new AbortController().signal }
  await expect(seedLarge(api.deps, { ...asked, email: 'nobody@example.com' })).rejects.toThrow('no account')
  await expect(seedLarge(api.deps, { ...asked, email: undefined })).rejects.toThrow('name the account')
  expect(() => requireLocal({ environment: 'local', loopbackOnly: true })).not.toThrow()
  expect(() => requireLocal({ environment: 'local', loopbackOnly: false })).toThrow('only made for tests')
  expect(() => requireLocal({ environment: 'staging', loopbackOnly: true })).toThrow('only made for tests')
})
