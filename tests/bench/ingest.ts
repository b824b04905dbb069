// Check-ins and metrics of devices beside one bare statement on bare Node, with the processor time of Node and of PostgreSQL, and
// ingest of log lines, metrics and events beside COPY and INSERT of the same rows: `npx tsx tests/bench/ingest.ts [devices]`.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'
import type { Client } from 'pg'
import type { Endpoint } from '../../contract/endpoint'
import * as wire from '../../contract/device/endpoints'
import { createPersonalProject } from '../../contract/project-changes'
import { CopyIn, CopyOut, startCopy } from '../../server/backup/copy'
import { findEmbedded } from '../../server/core/database/embedded'
import { withClient } from '../../server/core/database/roles'
import { root } from '../../server/core/root'
import { call } from '../e2e/support/call'
import { checkInBody, eventOf } from '../support/devices'
import { insertDevices } from './devices'
import { secondsOf, secondsOfTree } from './processor'
import { measured, unlimited, withServer } from './server'

const count = Number(process.argv[2] ?? 2000)
/** So many requests are open at a time. */
const open = 32
const rounds = 3
/** At the agent's defaults: a check-in each hour, metrics each minute. */
const fleet = { devices: 50_000, checkInsPerS: 50_000 / 3600, metricsPerS: 50_000 / 60 }

const names = ['cpu.usage_percent', 'cpu.temperature_celsius', 'load.1m', 'memory.used_percent', 'memory.used_bytes']
const more = ['storage.used_percent', 'net.eth0.rx_bytes_total', 'net.eth0.tx_bytes_total']
const metricsBody = (tsMs: number) => ({
  points: [...names, ...more].map((name, n) => ({ name, unit: '%', ts_ms: tsMs, value: 20 + ((tsMs / 1000 + n) % 40) })),
})

const agent = new Agent({ keepAlive: true, maxSockets: open })
type Sent = { base: string; endpoint: Pick<Endpoint, 'method' | 'path'>; token: string; body: string; type?: string }
const send = ({ base, endpoint, token, body, type = 'application/json' }: Sent): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': type, 'content-length': Buffer.byteLength(body) }
    const sent = request(`${base}${endpoint.path}`, { method: endpoint.method, agent, headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      answer.on('end', () => {
        if ((answer.statusCode ?? 500) < 300) resolve()
        // Without a connection of the database in time, as on a busy machine.
        else if (answer.statusCode === 503) resolve(send({ base, endpoint, token, body, type }))
        else reject(new Error(`${endpoint.path}: ${answer.statusCode} ${text}`))
      })
    })
    sent.on('error', reject).end(body)
  })

/** Runs tasks, `open` at a time. */
const runAll = async (tasks: readonly (() => Promise<void>)[]) => {
  let next = 0
  const worker = async () => {
    for (let task = tasks[next++]; task; task = tasks[next++]) await task()
  }
  await Promise.all(Array.from({ length: open }, worker))
}

type Spent = { wallS: number; nodeS: number; postgresS: number }
type Pids = { node: number; postgres: number }

const spend = async ({ node, postgres }: Pids, work: () => Promise<void>): Promise<Spent> => {
  const before = [performance.now() / 1000, await secondsOf(node), await secondsOfTree(postgres)] as const
  await work()
  return {
    wallS: performance.now() / 1000 - before[0],
    nodeS: (await secondsOf(node)) - before[1],
    postgresS: (await secondsOfTree(postgres)) - before[2],
  }
}
const add = (a: Spent, b: Spent): Spent => ({
  wallS: a.wallS + b.wallS,
  nodeS: a.nodeS + b.nodeS,
  postgresS: a.postgresS + b.postgresS,
})
const nothing: Spent = { wallS: 0, nodeS: 0, postgresS: 0 }

const startBareServer = async (url: string) => {
  const child = fork(join(root, 'tests/bench/bare-server.ts'), [url], { execArgv: ['--import', 'tsx'], stdio: 'pipe' })
  const [port] = (await once(child.stdout ?? child, 'data')) as [Buffer]
  return { base: `http://127.0.0.1:${port.toString().trim()}`, pid: child.pid ?? 0, stop: () => child.kill('SIGTERM') }
}

type Table = { name: string; columns: string; order: string }
const logTable = {
  name: 'device_logs',
  columns: 'project_id, device_id, sequence, ts_ms, received_at, level, unit, pid, boot_id, message, fields',
  order: 'received_at, device_id, sequence',
}
const pointTable = { name: 'metric_points', columns: 'project_id, device_id, name, at, value', order: 'device_id, at, name' }
const eventTable = {
  name: 'update_events',
  columns:
    'project_id, device_id, id, event_id, rollout_id, release_id, version, attempt, type, from_state, to_state, reason_code, message, progress_percent, bytes_done, duration_ms, slot, boot_id, key_fingerprint, ts_ms, received_at, sequence, source',
  order: 'received_at, device_id, id',
}

/** The same rows as the ingest has stored, for another project, by COPY and by INSERT of a thousand rows each. */
const store = async (client: Client, { name, columns, order }: Table, projectId: string) => {
  const rest = columns.slice('project_id, '.length)
  const out = startCopy(
    client,
    new CopyOut(`copy (select 'copied', ${rest} from ${name} where project_id = '${projectId}' order by ${order}) to stdout`),
  )
  const chunks: Buffer[] = []
  for await (const chunk of out) chunks.push(chunk as Buffer)
  const lines = Buffer.concat(chunks)
  const copied = async () =>
    pipeline(Readable.from([lines]), startCopy(client, new CopyIn(`copy ${name} (${columns}) from stdin`)))
  const { rows } = await client.query({
    text: `select 'inserted', ${rest} from ${name} where project_id = $1 order by ${order}`,
    values: [projectId],
    rowMode: 'array',
  })
  const width = columns.split(',').length
  const inserted = async () => {
    for (let from = 0; from < rows.length; from += 1000) {
      const slice: unknown[][] = rows.slice(from, from + 1000)
      const places = slice.map((_, n) => `(${Array.from({ length: width }, (__, m) => `$${n * width + m + 1}`).join(', ')})`)
      await client.query(`insert into ${name} (${columns}) values ${places.join(', ')}`, slice.flat())
    }
  }
  return { count: rows.length, copied, inserted }
}

await withServer(
  { TEASEL_LIMIT_REQUESTS_PER_MINUTE: unlimited, TEASEL_LIMIT_DEVICE_REQUESTS_PER_MINUTE: unlimited },
  async ({ api }, as, directory, server) => {
    const { url } = (await findEmbedded(directory)) ?? {}
    if (url === undefined) throw new Error('The database of the bench does not run.')
    const postgres = Number((await readFile(join(directory, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0])
    const host = { node: (await server.pidOf('api')) ?? 0, postgres }
    const { body: project } = await call(api, createPersonalProject, {}, { as, body: { name: 'Orchard' } })
    const devices = await insertDevices(url, { projectId: project.id, kind: 'agent', count, protocol: 'teasel' })
    const bare = await startBareServer(url)

    const checkIn = JSON.stringify(checkInBody())
    const polls = (base: string) =>
      devices.map(
        ({ token }) =>
          () =>
            send({ base, endpoint: wire.checkIn, token, body: checkIn }),
      )
    const posts = (minute: number) => {
      const body = JSON.stringify(metricsBody(Date.now() - 3_600_000 + minute * 60_000))
      return devices.map(
        ({ token }) =>
          () =>
            send({ base: api, endpoint: wire.metrics, token, body }),
      )
    }
    // The first contact of a device and its first value of a metric store more than later ones.
    await runAll(polls(api))
    await runAll(polls(bare.base))
    await runAll(posts(0))

    const spent = { bare: nothing, checkIn: nothing, metrics: nothing }
    for (let round = 1; round <= rounds; round++) {
      spent.bare = add(spent.bare, await spend({ node: bare.pid, postgres }, () => runAll(polls(bare.base))))
      spent.checkIn = add(spent.checkIn, await spend(host, () => runAll(polls(api))))
      spent.metrics = add(spent.metrics, await spend(host, () => runAll(posts(round))))
    }
    bare.stop()
    const requests = rounds * devices.length
    for (const [name, { wallS, nodeS, postgresS }] of Object.entries(spent)) {
      measured(`${name}: requests, ${open} at a time`, requests / wallS, 'a second')
      measured(`${name}: rate by that of the bare statement`, spent.bare.wallS / wallS, '')
      measured(`${name}: Node`, (nodeS / requests) * 1000, 'ms each')
      measured(`${name}: PostgreSQL`, (postgresS / requests) * 1000, 'ms each')
    }
    for (const part of ['nodeS', 'postgresS'] as const) {
      const cores = (spent.checkIn[part] * fleet.checkInsPerS + spent.metrics[part] * fleet.metricsPerS) / requests
      measured(`${fleet.devices} devices at the agent's defaults, ${part === 'nodeS' ? 'Node' : 'PostgreSQL'}`, cores, 'cores')
    }

    const boot = '0b54b1e2-6f0e-4a3f-9d3a-6f1f0a9d7c11'
    const lines = Array.from({ length: 500 }, (_, n) => {
      const message = `Client station-${n % 97} connected from 10.20.${n % 256}.7:40123 (p2, c1, k60).`
      return JSON.stringify({ sequence: n + 1, ts_ms: Date.now(), level: 'info', unit: 'mosquitto', message, boot_id: boot })
    }).join('\n')
    const series = (base: number) =>
      JSON.stringify({
        ts_ms: Array.from({ length: 60 }, (_, n) => base + n * 60_000),
        series: Object.fromEntries(
          names.map((name, n) => [name, Array.from({ length: 60 }, (__, m) => 20 + ((m * 7 + n) % 40))]),
        ),
      })
    const some = devices.slice(0, 200)
    const points = series(Date.now() - 86_400_000)
    const kinds = [
      {
        table: logTable,
        tasks: some.map(
          ({ token }) =>
            () =>
              send({ base: api, endpoint: wire.logs, token, body: lines, type: 'application/x-ndjson' }),
        ),
      },
      {
        table: pointTable,
        tasks: some.map(
          ({ token }) =>
            () =>
              send({ base: api, endpoint: wire.metrics, token, body: points }),
        ),
      },
      {
        table: eventTable,
        tasks: some.map(
          ({ token }) =>
            () =>
              send({
                base: api,
                endpoint: wire.updateEvents,
                token,
                body: JSON.stringify({
                  events: Array.from({ length: 100 }, (_, n) =>
                    eventOf({ sequence: n + 1, type: 'booted', boot_id: boot, ts_ms: Date.now() }),
                  ),
                }),
              }),
        ),
      },
    ]
    await withClient(url, async (client) => {
      for (const { table, tasks } of kinds) {
        if (table === pointTable) await client.query('delete from metric_points')
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
