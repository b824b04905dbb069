import type { Pool } from 'pg'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import * as ddi from '../../../contract/ddi/endpoints'
import * as device from '../../../contract/device/endpoints'
import type { Endpoint } from '../../../contract/core/endpoint'
import { endpoints } from '../../../contract/endpoints'
import { createUpload, sendUpload } from '../../../contract/updates/uploads'
import type { Host } from '../config'
import type { Metrics } from './metrics'
import { watchDatabase } from './watch-database'

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Gauges of the library whose names end like those of counters. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

const keyOf = ({ method, path }: Pick<Endpoint, 'method' | 'path'>) => `${method} ${path}`

/** These stay open as long as somebody looks at a page: their time says nothing. */
const streams: ReadonlySet<string> = new Set(
  Object.values(endpoints)
    .filter(({ answer }) => answer === 'stream')
    .map(keyOf),
)

/** A series that appears with its first event has no rate for it. */
const startAtZero = (counter: Counter<'protocol'>) => {
  for (const protocol of ['agent', 'ddi'] as const) counter.inc({ protocol }, 0)
}

const createRequestMetrics = (registers: Registry[]) => {
  const requests = new Histogram({
    name: 'teasel_http_request_duration_seconds',
    help: 'Time until the last byte of an answer, by the template of the route.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 10],
    registers,
  })
  const checkIns = new Counter({
    name: 'teasel_device_check_ins_total',
    help: 'Check-ins and polls of devices that were answered.',
    labelNames: ['protocol'],
    registers,
  })
  const uploads = new Counter({ name: 'teasel_uploads_total', help: 'Uploads that were begun.', registers })
  const uploadBytes = new Counter({
    name: 'teasel_upload_received_bytes_total',
    help: 'Bytes of uploads, by requests that were answered.',
    registers,
  })
  startAtZero(checkIns)
  const counted = new Map<string, (bytes: number) => void>([
    [keyOf(device.checkIn), () => checkIns.inc({ protocol: 'agent' })],
    [keyOf(ddi.root), () => checkIns.inc({ protocol: 'ddi' })],
    [keyOf(createUpload), () => uploads.inc()],
    [keyOf(sendUpload), (bytes) => uploadBytes.inc(bytes)],
  ])
  const countRequest: Metrics['countRequest'] = ({ method, route, status, seconds, uploadedBytes }) => {
    const key = keyOf({ method: method as Endpoint['method'], path: route })
    if (streams.has(key)) return
    requests.observe({ method: methods.has(method) ? method : 'other', route, status }, seconds)
    // 304: a poll whose answer has not changed.
    if (status < 400) counted.get(key)?.(uploadedBytes)
  }
  return countRequest
}

const createJobMetrics = (registers: Registry[]) => {
  // Prometheus itself has a label `job`.
  const labelNames = ['job_name']
  const runs = new Counter({
    name: 'teasel_job_runs_total',
    help: 'Ended runs of the time-driven jobs in this process.',
    labelNames: [...labelNames, 'outcome'],
    registers,
  })
  const duration = new Histogram({
    name: 'teasel_job_duration_seconds',
    help: 'Time that a run of a job took.',
    labelNames,
    buckets: [0.01, 0.1, 1, 10, 60, 600],
    registers,
  })
  const last = new Gauge({
    name: 'teasel_job_last_success_timestamp_seconds',
    help: 'When a run of the job last succeeded in this process; any process may run it, so the largest value counts.',
    labelNames,
    registers,
  })
  const interval = new Gauge({
    name: 'teasel_job_interval_seconds',
    help: 'How often a job runs, in one process of all.',
    labelNames,
    registers,
  })
  const countJobRun: Metrics['countJobRun'] = ({ job, everyS, isDone, seconds, at }) => {
    runs.inc({ job_name: job, outcome: 'success' }, isDone ? 1 : 0)
    runs.inc({ job_name: job, outcome: 'failure' }, isDone ? 0 : 1)
    duration.observe({ job_name: job }, seconds)
    interval.set({ job_name: job }, everyS)
    if (isDone) last.set({ job_name: job }, at.getTime() / 1000)
  }
  return countJobRun
}

type Add = (labels: Readonly<Record<string, string>>, n: number) => void

const createPoolMetrics = (registry: Registry) => {
  const pools = new Map<string, Pool[]>()
  const watch = (gauge: { name: string; help: string; labelNames?: string[] }, values: (add: Add, pool: Pool) => void) =>
    registry.registerMetric(
      new Gauge({
        labelNames: ['pool'],
        ...gauge,
        registers: [],
        collect() {
          this.reset()
          for (const [name, of] of pools)
            for (const pool of of) values((labels, n) => this.inc({ pool: name, ...labels }, n), pool)
        },
      }),
    )
  watch(
    {
      name: 'teasel_database_pool_connections',
      help: 'Open connections of the pools of this process.',
      labelNames: ['pool', 'state'],
    },
    (add, { totalCount, idleCount }) => {
      add({ state: 'idle' }, idleCount)
      add({ state: 'busy' }, totalCount - idleCount)
    },
  )
  watch(
    { name: 'teasel_database_pool_connections_max', help: 'How many connections the pools of this process may open.' },
    (add, { options: { max } }) => add({}, max),
  )
  watch(
    { name: 'teasel_database_pool_waiting', help: 'Requests and jobs that wait for a connection of a pool.' },
    (add, { waitingCount }) => add({}, waitingCount),
  )
  const watchPool: Metrics['watchPool'] = (name, pool) => void pools.set(name, [...(pools.get(name) ?? []), pool])
  return watchPool
}

/** Names by the conventions of Prometheus; no label has an id or a name that people or devices give. */
export const createMetrics = (host: Host): Metrics => {
  const registry = new Registry()
  registry.setDefaultLabels({ host })
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  for (const name of misnamed) registry.removeSingleMetric(name)
  const offers = new Counter({
    name: 'teasel_update_offers_total',
    help: 'Offers of an update to a device, each counted once, when its slot of the rollout is reserved.',
    labelNames: ['protocol'],
    registers,
  })
  startAtZero(offers)
  let refresh = async () => {}
  return {
    countRequest: createRequestMetrics(registers),
    countOffer: (protocol) => offers.inc({ protocol }),
    countJobRun: createJobMetrics(registers),
    watchPool: createPoolMetrics(registry),
    watchDatabase: (reading) => void (refresh = watchDatabase(registers, reading)),
    toText: async () => {
      await refresh()
      return { type: registry.contentType, text: await registry.metrics() }
    },
  }
}
