// Lists, facets, search, charts and the overview of a project over real HTTP, by the number of its devices:
// `npx tsx tests/bench/lists.ts [most devices]`. Only first pages have facets and totals.
import { performance } from 'node:perf_hooks'
import { sql } from 'drizzle-orm'
import { Client } from 'pg'
import { deviceSystemLogs } from '../../contract/fleet/device-logs'
import { devices } from '../../contract/fleet/devices'
import { type Endpoint, pathOf } from '../../contract/core/endpoint'
import { overview, projectMetricNames, projectMetrics } from '../../contract/overview/monitor'
import { project } from '../../contract/accounts/projects'
import { searchProject } from '../../contract/overview/search'
import { tags } from '../../contract/fleet/tags'
import { seedDevices, seedTelemetry, settle } from '../../server/seed/large.repository'
import { insertTag } from '../../server/fleet/tags/repository'
import { withClient } from '../../server/core/database/roles'
import { sessionHeader } from '../../contract/accounts/sessions'
import { people } from '../support/people'
import { blocksReadBy, openBenchApi } from './api'
import { measured, quantile } from './server'

const most = Number(process.argv[2] ?? 100_000)
const sizes = [1000, 10_000, 100_000].filter((size) => size <= most)
const times = 40

// One connection, so that the blocks that it has read can be asked for.
const { api, deps, embedded, close } = await openBenchApi(1)
const { db } = deps
const now = deps.clock()
const to = now.getTime()

type Query = Record<string, string | number>
type Asked = { of: Endpoint; query?: Query; page?: 2 }
type Fleet = { size: number; as: string; ids: Record<string, string> }

const get = async ({ as, ids }: Fleet, { path }: Endpoint, query: Query): Promise<{ next_cursor?: string | null }> => {
  const text = new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]))
  const answer = await fetch(`${api}${pathOf(path, ids)}?${text}`, { headers: { [sessionHeader]: as } })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as { next_cursor?: string | null }
}

const requests: Record<string, Asked> = {
  'devices by name': { of: devices },
  'devices by name, second page': { of: devices, page: 2 },
  'devices by connectivity': { of: devices, query: { sort: 'connectivity' } },
  'devices of critical health': { of: devices, query: { health: 'critical' } },
  'devices with a tag': { of: devices, query: { tag: 'field' } },
  'devices with a rare text': { of: devices, query: { q: 'device 0009' } },
  'devices with a frequent text': { of: devices, query: { q: 'device' } },
  'search for a serial number': { of: searchProject, query: { q: 'SN-99' } },
  tags: { of: tags },
  project: { of: project },
  overview: { of: overview },
  'metric names': { of: projectMetricNames },
  'chart of the fleet, a day': {
    of: projectMetrics,
    query: { names: 'cpu.usage_percent', from: to - 86_400_000, to, agg: 'avg,p95' },
  },
  'log of a device': { of: deviceSystemLogs },
}

const createFleet = async (size: number): Promise<Fleet> => {
  const { person, project: make } = people(deps)
  const ann = await person()
  const projectId = await make({ ownerId: ann.id })
  const fleet = { projectId, devices: size, now, hours: 24, logLines: 2 * size, measured: 0 }
  await seedDevices(db, fleet)
  await seedTelemetry(db, fleet)
  const tagId = await insertTag(db, projectId, { name: 'field', colour: 'sky' }, now)
  await db.execute(sql`
    insert into device_tags (project_id, device_id, tag_id)
    select project_id, id, ${tagId} from devices where project_id = ${projectId} and right(name, 1) = '7'`)
  const { rows } = await db.execute<{ id: string }>(sql`select id from devices where project_id = ${projectId} limit 1`)
  return { size, as: ann.token, ids: { projectId, deviceId: rows[0]?.id ?? '' } }
}

const counted = async (work: () => Promise<void>) => {
  const send = Reflect.get(Client.prototype, 'query')
  let statements = 0
  const before = await blocksReadBy(deps)
  Client.prototype.query = function count(this: Client, ...given: unknown[]) {
    statements++
    return Reflect.apply(send, this, given)
  } as typeof send
  await work()
  Client.prototype.query = send
  return { statements: statements / times, blocks: ((await blocksReadBy(deps)) - before) / times }
}

try {
  const fleets: Fleet[] = []
  for (const size of sizes) fleets.push(await createFleet(size))
  await settle(db, now)
  await withClient(embedded.url, (client) => client.query('vacuum analyze'))
  for (const [name, { of, query = {}, page }] of Object.entries(requests)) {
    for (const fleet of fleets) {
      const { next_cursor } = await get(fleet, of, query)
      const asked = page === 2 && next_cursor ? { ...query, cursor: next_cursor } : query
      const waits: number[] = []
      const { statements, blocks } = await counted(async () => {
        for (let n = 0; n < times; n++) {
          const before = performance.now()
          await get(fleet, of, asked)
          waits.push(performance.now() - before)
        }
      })
      const label = `${fleet.size} devices, ${name}`
      measured(`${label}, median`, quantile(waits, 0.5), 'ms')
      measured(`${label}, p99`, quantile(waits, 0.99), 'ms')
      measured(`${label}, blocks`, blocks, '')
      measured(`${label}, statements`, statements, '')
    }
  }
} finally {
  await close()
}
