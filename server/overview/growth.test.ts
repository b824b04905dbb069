import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Endpoint } from '../../contract/endpoint'
import { endpoints } from '../../contract/endpoints'
import { type Read, readOf } from '../../tests/support/blocks'
import { isFull, repetitions } from '../../tests/support/counts'
import { createLargeFleet, type LargeFleet } from '../../tests/support/large-fleet'
import { root } from '../core/root'
import { countDevicesOfPlan } from '../fleet/devices/repository'
import { countPlanUsage } from './plan-usage.repository'

const sizes = [repetitions(1000, 10_000), repetitions(8000, 100_000)] as const
let fleets: [LargeFleet, LargeFleet]

beforeAll(async () => {
  fleets = [await createLargeFleet(sizes[0]), await createLargeFleet(sizes[1])]
}, 1_800_000)

/** A line of test-results/growth.json, which a full run leaves. */
type Line = { request: string; returned: number; small: Read; large: Read }
const lines: Line[] = []

afterAll(async () => {
  const folder = join(root, 'test-results')
  await mkdir(folder, { recursive: true })
  if (isFull) await writeFile(join(folder, 'growth.json'), JSON.stringify({ sizes, lines }, null, 2))
  await Promise.all(fleets.map(({ api }) => api.close()))
})

type Query = Record<string, string | number>
/** `page`: the second page is read, and its rows are compared with those that it returns. */
type Asked = { of: string; query?: Query; page?: 2 }

/** Calls an endpoint whose path has only parts that are named as in `LargeFleet`. */
const call = async ({ api, ann, ...ids }: LargeFleet, { of, query }: Asked): Promise<Record<string, unknown>> => {
  const reply = await api.call(endpoints[of] as Endpoint, ids as never, { as: ann, query: query ?? {} })
  const { status, text, body } = reply as { status: number; text: string; body: Record<string, unknown> }
  expect(status, text).toBe(200)
  return body
}

/** The entries of all lists of an answer. */
const entriesIn = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0
  const own = Array.isArray(value) ? value.filter((one) => typeof one === 'object').length : 0
  return Object.values(value).reduce<number>((sum, one) => sum + entriesIn(one), own)
}

const sorts = ['name', 'serial_number', 'hardware_model', 'lifecycle', 'version', 'created_at', 'enrolled_at']
  .concat(['last_seen_at', 'connectivity', 'health', 'update'])
  .flatMap((sort) => [sort, `-${sort}`])
const filters: Query[] = [
  { tag: 'field' },
  { hardware_model: 'cam-rk3566' },
  { connectivity: 'offline' },
  { health: 'critical' },
  { version: '2.3' },
  { update: 'failed' },
  { lifecycle: 'active' },
  { q: 'device 0001' },
  { q: 'device' },
]
const list = 'devices.devices'
// One with a unit, and one without.
const series = { names: 'cpu.usage_percent,app.queue_length', from: 0, to: 600_000 }

const asked: Asked[] = [
  ...sorts.flatMap((sort): Asked[] => [
    { of: list, query: { sort } },
    { of: list, query: { sort }, page: 2 },
  ]),
  ...filters.map((query): Asked => ({ of: list, query: { ...query, limit: 10 }, page: 2 })),
  { of: list, query: { q: 'zz' } },
  ...['000123', 'device', 'SN-99', '7', 'zz'].map((q): Asked => ({ of: 'search.searchProject', query: { q } })),
  { of: 'projects.personalProjects' },
  { of: 'projects.project' },
  { of: 'devices.device' },
  { of: 'tags.tags' },
  { of: 'tags.tag' },
  { of: 'monitor.projectMetricNames' },
  { of: 'monitor.projectMetrics', query: series },
  { of: 'monitor.deviceMetrics', query: series },
  { of: 'keys.signingKeys' },
  { of: 'keys.signingKey' },
  { of: 'keys.signingKeyCoverage' },
  { of: 'keyLists.keyRotation' },
  { of: 'deviceImports.deviceImports' },
  { of: 'secure-boot/bundles.bundles' },
  { of: 'secure-boot/devices.deviceSecureBoot' },
  { of: 'components.findComponents' },
  { of: 'deviceUpdates.deviceInstallations' },
  { of: 'deviceUpdates.deviceUpdateEvents' },
  { of: 'deviceLogs.deviceSystemLogs' },
  { of: 'logSummaries.logSummaries' },
  { of: 'deviceReports.deviceReport' },
]

const nameOf = ({ of, query = {}, page }: Asked) => {
  const text = Object.entries(query).map(([name, value]) => ` ${name}=${value}`)
  return `${of}${text.join('')}${page === 2 ? ', second page' : ''}`
}

// A level more of each index; the rows of a page of a small fleet share blocks, those of a large one need not.
const deeper = isFull ? 16 : 80
// Of the session, the person and the project.
const always = 20
// No index has the devices with any text in the order of a list: up to so many are looked at before a list reads in its own order.
const withText = 2500

const compare = async (
  request: string,
  most: number,
  measure: (fleet: LargeFleet) => Promise<{ read: Read; returned: number }>,
) => {
  const [{ read: small }, { read: large, returned }] = [await measure(fleets[0]), await measure(fleets[1])]
  lines.push({ request, returned, small, large })
  expect(small.blocks).toBeGreaterThan(0)
  expect.soft(large.blocks, `${small.blocks} blocks in the small fleet`).toBeLessThanOrEqual(small.blocks * 1.2 + deeper)
  expect.soft(large.rows, `${returned} entries returned`).toBeLessThanOrEqual(10 * returned + most)
}

describe('in a fleet of many times the size, as few blocks are read', () => {
  it.each(asked.map((one) => [nameOf(one), one] as const))('by %s', async (name, one) => {
    await compare(name, one.query?.q === undefined ? always : withText, async (fleet) => {
      const cursor = one.page === 2 ? (await call(fleet, one)).next_cursor : undefined
      const query = { ...one.query, ...(typeof cursor === 'string' && { cursor }) }
      let returned = 0
      const read = await readOf(fleet.api, async () => {
        returned = entriesIn(await call(fleet, { ...one, query }))
      })
      return { read, returned }
    })
  })

  it.each<[string, (fleet: LargeFleet) => Promise<unknown>]>([
    ['the devices that count for the plan', ({ api, projectId }) => countDevicesOfPlan(api.db, projectId)],
    ['the use of the plan', ({ api, ann }) => countPlanUsage(api.db, { kind: 'user', id: ann.id })],
  ])('by %s', async (name, request) => {
    await compare(name, always, async (fleet) => ({ read: await readOf(fleet.api, () => request(fleet)), returned: 1 }))
  })
})
