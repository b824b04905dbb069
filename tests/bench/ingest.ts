// Check-ins, metrics and log lines of devices beside one bare statement on bare Node, with the processor time of Node and of PostgreSQL,
// and ingest of log lines, metrics and events beside COPY and INSERT of the same rows: `npx tsx tests/bench/ingest.ts [devices]`.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Endpoint } from '../../contract/core/endpoint'
import * as wire from '../../contract/device/endpoints'
import { createPersonalProject } from '../../contract/accounts/project-changes'
import { findEmbedded } from '../../server/core/database/embedded'
import { openDatabase } from '../../server/core/database/open'
import { withClient } from '../../server/core/database/roles'
import { analyse } from '../../server/fleet/telemetry/analyse.repository'
import { rollUp } from '../../server/fleet/telemetry/roll-up.repository'
import { call } from '../e2e/support/call'
import { checkInBody, eventOf } from '../support/devices'
import { agentPoints } from './agent-points'
import { startBareServer } from './bare'
import { insertDevices } from './devices'
import { insertHour } from './hour'
import { eventTable, logTable, pointTable, store } from './same-rows'
import { open, runAll, send } from './send'
import { measured, unlimited, withServer } from './server'
import { add, nothing, spend, type Spent } from './spent'

const count = Number(process.argv[2] ?? 2000)
const rounds = 3
const fleet = 50_000
/** How often a device sends at the agent's defaults; logs at a usual rate, ten lines each ten minutes. */
const eachS = { checkIn: 3600, metrics: 60, logs: 600 }
const boot = '0b54b1e2-6f0e-4a3f-9d3a-6f1f0a9d7c11'
const linesFrom = (first: number, length: number) =>
  Array.from({ length }, (_, n) => {
    const message = `Client station-${n % 97} connected from 10.20.${n % 256}.7:40123 (p2, c1, k60).`
    return JSON.stringify({ sequence: first + n, ts_ms: Date.now(), level: 'info', unit: 'mosquitto', message, boot_id: boot })
  }).join('\n')

await withServer(
  { TEASEL_LIMIT_REQUESTS_PER_MINUTE: unlimited, TEASEL_LIMIT_DEVICE_REQUESTS_PER_MINUTE: unlimited },
  async ({ api }, as, directory, server) => {
    const { url } = (await findEmbedded(directory)) ?? {}
    if (url === undefined) throw new Error('The database of the bench does not run.')
    const postgres = Number((await readFile(join(directory, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0])
    const host = { node: (await server.pidOf('api')) ?? 0, postgres }
    const { body: project } = await call(api, createPersonalProject, {}, { as, body: { name: 'Orchard' } })
    const make = (kind: string) => insertDevices(url, { projectId: project.id, kind, count, protocol: 'teasel' })
    const [devices, withFewer] = [await make('agent'), await make('sensor')]
    const bare = await startBareServer(url)
    const { db, close } = openDatabase({ url, onError: () => {} })

    type Endpoints = { base?: string; endpoint: Pick<Endpoint, 'method' | 'path'>; body: string; type?: string }
    const requests = (list: typeof devices, { base = api, ...sent }: Endpoints) =>
      list.map(
        ({ token }) =>
          () =>
            send({ base, token, ...sent }),
      )
    const checkIn = { endpoint: wire.checkIn, body: JSON.stringify(checkInBody()) }
    // Within the present hour or the next: the hours of single devices are measured apart.
    const metrics = (round: number) => agentPoints(Date.now() + round * 60_000)
    const batch = (points: ReturnType<typeof metrics>) => ({ endpoint: wire.metrics, body: JSON.stringify({ points }) })
    const loads: Record<string, (round: number) => ReturnType<typeof requests>> = {
      bare: () => requests(devices, { ...checkIn, base: bare.base }),
      checkIn: () => requests(devices, checkIn),
      metrics: (round) => requests(devices, batch(metrics(round))),
      'metrics of 8 points': (round) => requests(withFewer, batch(metrics(round).slice(0, 8))),
      logs: (round) => {
        const body = linesFrom(1 + round * 10, 10)
        return requests(devices, { endpoint: wire.logs, body, type: 'application/x-ndjson' })
      },
    }
    const spent: Record<string, Spent> = {}
    for (let round = 0; round <= rounds; round++) {
      // As autovacuum does it within a minute or two: plans that were made for empty tables are made again.
      if (round === 1) await analyse(db)
      for (const [name, load] of Object.entries(loads)) {
        const asked = await spend(name === 'bare' ? { node: bare.pid, postgres } : host, () => runAll(load(round)))
        const rolledUp = await spend(host, () => (name.startsWith('metrics') ? rollUp(db, new Date()) : Promise.resolve()))
        // The first contact of a device and its first value of a metric store more than later ones.
        if (round > 0) spent[name] = add(spent[name] ?? nothing, add(asked, { ...rolledUp, wallS: 0 }))
      }
    }
    const answered = rounds * count
    const each = (name: string) => spent[name] ?? nothing
    for (const [name, { wallS, nodeS, postgresS }] of Object.entries(spent)) {
      measured(`${name}: requests, ${open} at a time`, answered / wallS, 'a second')
      measured(`${name}: rate by that of the bare statement`, each('bare').wallS / wallS, '')
      measured(`${name}: Node`, (nodeS / answered) * 1000, 'ms each')
      measured(`${name}: PostgreSQL`, (postgresS / answered) * 1000, 'ms each')
    }
    await insertHour(db, { projectId: project.id, names: metrics(0).map(({ name }) => name) })
    const hours = await spend(host, () => rollUp(db, new Date()))
    measured('hours of devices: PostgreSQL', (hours.postgresS / count) * 1000, 'ms each')
    for (const part of ['nodeS', 'postgresS'] as const) {
      const ofRequests = Object.entries(eachS).map(([name, s]) => (each(name)[part] / answered) * (fleet / s))
      const cores = ofRequests.reduce((sum, one) => sum + one, (hours[part] / count) * (fleet / 3600))
      measured(`${fleet} devices at the agent's defaults, ${part === 'nodeS' ? 'Node' : 'PostgreSQL'}`, cores, 'cores')
    }
    bare.stop()
    await close()

    const names = metrics(0).map(({ name }) => name)
    const series = (base: number) =>
      JSON.stringify({
        ts_ms: Array.from({ length: 60 }, (_, n) => base + n * 60_000),
        series: Object.fromEntries(
          names.slice(0, 5).map((name, n) => [name, Array.from({ length: 60 }, (__, m) => 20 + ((m * 7 + n) % 40))]),
        ),
      })
    const some = (await make('gateway')).slice(0, 200)
    const lines = linesFrom(1, 500)
    const points = series(Date.now() - 86_400_000)
    const events = Array.from({ length: 100 }, (_, n) =>
      eventOf({ sequence: n + 1, type: 'booted', boot_id: boot, ts_ms: Date.now() }),
    )
    const kinds = [
      { table: logTable, tasks: requests(some, { endpoint: wire.logs, body: lines, type: 'application/x-ndjson' }) },
      { table: pointTable, tasks: requests(some, { endpoint: wire.metrics, body: points }) },
      { table: eventTable, tasks: requests(some, { endpoint: wire.updateEvents, body: JSON.stringify({ events }) }) },
    ]
    await withClient(url, async (client) => {
      for (const { table, tasks } of kinds) {
        // Only the rows of this part are copied.
        if (table !== eventTable) await client.query(`delete from ${table.name}`)
        const ingested = await spend(host, () => runAll(tasks))
        const { count: rows, copied, inserted } = await store(client, table, project.id)
        const own = { node: process.pid, postgres }
        const copy = await spend(own, copied)
        const insert = await spend(own, inserted)
        const rate = ({ wallS }: Spent) => rows / wallS
        const processor = ({ nodeS, postgresS }: Spent) => nodeS + postgresS
        measured(`${table.name}: rows by ingest`, rate(ingested), 'a second')
        measured(`${table.name}: rows by COPY`, rate(copy), 'a second')
        measured(`${table.name}: rows by INSERT of 1000`, rate(insert), 'a second')
        measured(`${table.name}: ingest by COPY`, rate(ingested) / rate(copy), '')
        measured(`${table.name}: ingest by COPY, by processor time of PostgreSQL`, copy.postgresS / ingested.postgresS, '')
        measured(`${table.name}: ingest by COPY, by processor time of both`, processor(copy) / processor(ingested), '')
        measured(`${table.name}: ingest, Node`, (ingested.nodeS / rows) * 1e6, 'µs a row')
        measured(`${table.name}: ingest, PostgreSQL`, (ingested.postgresS / rows) * 1e6, 'µs a row')
        measured(`${table.name}: ingest by INSERT`, rate(ingested) / rate(insert), '')
      }
    })
  },
)
