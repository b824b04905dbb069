import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEnrollmentToken } from '../../contract/fleet/enrollment-tokens'
import { checkIn, enroll } from '../../contract/device/endpoints'
import { createPersonalProject } from '../../contract/accounts/project-changes'
import { root } from '../../server/core/root'
import { checkInBody, enrollBody } from '../support/devices'
import { freePorts } from '../support/free-port'
import { hasPrometheus, startPrometheus } from '../support/prometheus'
import { call } from './support/call'
import { type Hosts, startHosts } from './support/hosts'

type Dashboard = { panels: { title: string; targets: { expr: string }[] }[] }
type Rules = { groups: { rules: { name: string; query: string; health: string; lastError?: string; state: string }[] }[] }

const host = { api: 0, 'sign-in': 1, console: 2 } as const

type Exported = { name: string; traceId: string; spanId: string; parentSpanId?: string }
type Export = { resourceSpans: { resource: unknown; scopeSpans: { spans: Exported[] }[] }[] }

/** What a collector of OpenTelemetry has received: the spans with the name of their service. */
const spans: (Exported & { resource: string })[] = []
const collector = createServer((request, response) => {
  void text(request).then((body) => {
    const { resourceSpans } = JSON.parse(body) as Export
    for (const { resource, scopeSpans } of resourceSpans)
      spans.push(...scopeSpans.flatMap((scope) => scope.spans.map((span) => ({ ...span, resource: JSON.stringify(resource) }))))
    response.writeHead(request.url === '/v1/traces' ? 200 : 404, { 'Content-Type': 'application/json' }).end('{}')
  })
})

let port: number
let hosts: Hosts
let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'teasel-metrics-'))
  port = await freePorts(3)
  collector.listen(0, '127.0.0.1')
  await once(collector, 'listening')
  const { port: collectorPort } = collector.address() as AddressInfo
  hosts = await startHosts({
    TEASEL_METRICS_PORT: String(port),
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collectorPort}`,
  })
  const { token: as } = await hosts.person()
  const { body: project } = await call(hosts.api, createPersonalProject, {}, { as, body: { name: 'Orchard' } })
  const made = await call(hosts.api, createEnrollmentToken, { projectId: project.id }, { as, body: { name: 'Line' } })
  const { body: device } = await call(hosts.api, enroll, {}, { as: made.body.token, body: enrollBody() })
  await call(hosts.api, checkIn, {}, { as: device.device_token, body: checkInBody() })
  for (const base of [hosts.signIn, hosts.console]) await fetch(base)
})
afterAll(async () => {
  await hosts.stop()
  await new Promise((resolve) => collector.close(resolve))
  await rm(directory, { recursive: true, force: true })
})

const scrape = async (of: keyof typeof host) => (await fetch(`http://127.0.0.1:${port + host[of]}/metrics`)).text()

describe('the metrics of a running product', () => {
  it('are those of each host, on a listener of its own', async () => {
    for (const of of Object.keys(host) as (keyof typeof host)[]) {
      const text = await scrape(of)
      expect(text).toMatch(new RegExp(`teasel_http_request_duration_seconds_count{.*host="${of}".*} [1-9]`))
      expect(text.includes('teasel_database_up')).toBe(of !== 'console')
      expect(text.includes('teasel_devices{')).toBe(of === 'api')
    }
    for (const base of [hosts.api, hosts.signIn, hosts.console])
      expect(await (await fetch(`${base}/metrics`)).text()).not.toContain('# HELP')
  })

  it.skipIf(!hasPrometheus)('have names that promtool accepts', async () => {
    for (const of of Object.keys(host) as (keyof typeof host)[]) {
      const input = await scrape(of)
      expect(spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
    }
  })
})

describe('the traces of a running product', () => {
  it('reach a collector from each host, below the span of the caller who sent traceparent', async () => {
    for (const [of, base] of Object.entries({ api: hosts.api, 'sign-in': hosts.signIn, console: hosts.console })) {
      const [traceId, callerId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')]
      const headers = { traceparent: `00-${traceId}-${callerId}-01` }
      // Without the next request, to which the sign-in host redirects.
      await fetch(of === 'api' ? `${base}/openapi.json` : base, { headers, redirect: 'manual' })
      const found = () => spans.filter((span) => span.traceId === traceId)
      await expect.poll(() => found().length).toBe(1)
      expect(found()).toMatchObject([{ parentSpanId: callerId, resource: expect.stringContaining(`"teasel-${of}"`) }])
      if (of === 'api') expect(found()[0]?.name).toBe('GET /openapi.json')
    }
  })
})

describe.skipIf(!hasPrometheus)('a Prometheus with docs/deploy/prometheus.yml', () => {
  let prometheus: Awaited<ReturnType<typeof startPrometheus>>
  beforeAll(async () => {
    prometheus = await startPrometheus(
      directory,
      Object.values(host).map((n) => port + n),
    )
  })
  afterAll(() => prometheus.stop())

  it('scrapes all hosts and gets data for each query of docs/grafana/teasel.json', async () => {
    const dashboard = JSON.parse(await readFile(join(root, 'docs/grafana/teasel.json'), 'utf8')) as Dashboard
    const queries = dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })))
    expect(queries.length).toBeGreaterThan(15)
    const withoutData = async () => {
      // Times have a quantile only while requests come.
      await fetch(`${hosts.api}/healthz`)
      const found = await Promise.all(queries.map(({ expr }) => prometheus.query(expr.replaceAll('$__rate_interval', '1m'))))
      return queries.filter((_, n) => found[n]?.length === 0).map(({ title }) => title)
    }
    await expect.poll(withoutData, { interval: 500 }).toEqual([])
    expect(await prometheus.query('teasel_no_such_metric')).toEqual([])
    const [online] = await prometheus.query('max by (connectivity) (teasel_devices{connectivity="online"})')
    expect(online?.value[1]).toBe('1')
    const up = await prometheus.query('up{job="teasel"}')
    expect(up.map(({ value }) => value[1])).toEqual(['1', '1', '1'])
  })

  it('evaluates each alert, over metrics that exist, and none fires', async () => {
    const rules = async () => (await prometheus.ask<Rules>('rules')).groups.flatMap((group) => group.rules)
    await expect.poll(async () => (await rules()).filter(({ health }) => health !== 'ok')).toEqual([])
    const all = await rules()
    expect(all.length).toBeGreaterThan(5)
    expect(all.filter(({ state }) => state !== 'inactive').map(({ name }) => name)).toEqual([])
    const names = new Set(all.flatMap(({ query }) => query.match(/\b(?:teasel|nodejs|process)_\w+/g) ?? []))
    const counted = await Promise.all([...names].map(async (name) => [name, (await prometheus.query(name)).length] as const))
    expect(counted.filter(([, count]) => count === 0)).toEqual([])
  })
})
