import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { request } from 'node:http'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkIn, update } from '../../../contract/device/endpoints'
import { followEvents, storedEvents } from '../../../contract/overview/event-stream'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { createDdiScene } from '../../../tests/support/ddi/scene'
import { checkInBody } from '../../../tests/support/devices'
import { freePort } from '../../../tests/support/free-port'
import { createRolloutFixture } from '../../../tests/support/rollout-fixture'
import { statementsOf } from '../../../tests/support/statements'
import { issueDeviceToken } from '../../fleet/devices/device-token.repository'
import { startJobs } from '../../jobs'
import { installationReading } from '../../overview/metrics/installation'
import { openDatabase } from '../database/open'
import { createMetrics } from './create-metrics'
import { serveMetrics } from './serve-metrics'

const metrics = createMetrics('api')
const log = pino({ level: 'silent' })
let api: TestApi
beforeAll(async () => {
  api = await createTestApi({}, { metrics })
  metrics.watchDatabase(installationReading(api.db))
  metrics.watchPool('requests', api.deps.pool)
})
afterAll(() => api.close())

const scrape = async (of = metrics) => (await of.toText()).text
const parts = (series: string) =>
  [...series.matchAll(/^\w+|\w+="[^"]*"/g)]
    .map(([part]) => part)
    .toSorted()
    .join()
/** The value of the series with these labels, in any order; undefined if there is none. */
const valueOf = (text: string, series: string): number | undefined => {
  const line = text.split('\n').find((it) => !it.startsWith('#') && parts(it) === parts(series))
  return line === undefined ? undefined : Number(line.split(' ').at(-1))
}
const read = async (series: string) => valueOf(await scrape(), series)

describe('metrics', () => {
  it('count requests by the template of their route and their status, and contain no id', async () => {
    const ann = await api.person()
    const id = await api.project({ ownerId: ann.id })
    const ask = (as?: typeof ann) =>
      api.app.inject({
        url: `/projects/${id}`,
        headers: { host: new URL(api.config.urls.api).host, ...(as && { 'x-session-token': as.token }) },
      })
    const series = (status: number) =>
      `teasel_http_request_duration_seconds_count{method="GET",route="/projects/:projectId",status="${status}",host="api"}`
    const before = [await read(series(200)), await read(series(401))].map((n) => n ?? 0)
    await ask(ann)
    await ask(ann)
    await ask()
    await api.app.inject({ url: `/nothing/${id}`, headers: { host: new URL(api.config.urls.api).host } })
    const text = await scrape()
    expect([valueOf(text, series(200)), valueOf(text, series(401))]).toEqual([(before[0] ?? 0) + 2, (before[1] ?? 0) + 1])
    expect(text).toContain('route="none",status="404"')
    expect(text).not.toContain(id)
    expect(text).not.toContain(ann.id)
  })

  it('leave out a stream, which lasts as long as somebody looks', async () => {
    const ended = { status: 200, seconds: 3600, uploadedBytes: 0 }
    metrics.countRequest({ ...ended, ...storedEvents, route: storedEvents.path })
    metrics.countRequest({ ...ended, ...followEvents, route: followEvents.path })
    const text = await scrape()
    expect(text).toContain(`route="${storedEvents.path}"`)
    expect(text).not.toContain(`route="${followEvents.path}"`)
  })

  it('count check-ins, and an offer once, when it reserves a slot', async () => {
    const ann = await api.person()
    const projectId = await api.project({ ownerId: ann.id })
    const rolling = await createRolloutFixture(api, ann, projectId, 1)
    await rolling.start()
    const [deviceId = ''] = rolling.ids
    const token = await issueDeviceToken(api.db, { projectId, deviceId }, api.deps.clock())
    const counts = async () => [
      await read('teasel_device_check_ins_total{protocol="agent",host="api"}'),
      await read('teasel_update_offers_total{protocol="agent",host="api"}'),
    ]
    const before = await counts()
    for (const _ of [1, 2]) expect((await api.call(update, {}, { as: token })).status).toBe(200)
    expect((await api.call(checkIn, {}, { as: token, body: checkInBody() })).status).toBe(200)
    expect((await api.call(checkIn, {}, { as: 'dvc_none', body: checkInBody() })).status).toBe(401)
    expect(await counts()).toEqual(before.map((n) => (n ?? 0) + 1))
  })

  it('count polls and offers of hawkBit clients', async () => {
    const scene = await createDdiScene(api)
    const [one] = await scene.join(1)
    if (!one) throw new Error('no device')
    const release = await scene.release(randomBytes(64))
    await scene.start(release.id, [one])
    const counts = async () => [
      await read('teasel_device_check_ins_total{protocol="ddi",host="api"}'),
      await read('teasel_update_offers_total{protocol="ddi",host="api"}'),
    ]
    const [polls = 0, offers = 0] = await counts()
    await one.poll()
    await one.poll()
    expect(await counts()).toEqual([polls + 2, offers + 1])
  })

  it('count uploads and their bytes', async () => {
    // The fixture uploads 64 bytes.
    const counts = async () => [
      await read('teasel_uploads_total{host="api"}'),
      await read('teasel_upload_received_bytes_total{host="api"}'),
    ]
    const [uploads = 0, bytes = 0] = await counts()
    const ann = await api.person()
    await createRolloutFixture(api, ann, await api.project({ ownerId: ann.id }), 1)
    expect(await counts()).toEqual([uploads + 1, bytes + 64])
  })

  it('have the runs of jobs, also of those that fail', async () => {
    const own = createMetrics('api')
    // The job of the counts of rollouts needs no time.
    const jobs = await startJobs({ ...api.deps, clock: () => expect.fail('no time'), metrics: own })
    const value = async (name: string, labels: string) => valueOf(await scrape(own), `teasel_job_${name}{${labels},host="api"}`)
    await expect.poll(() => value('runs_total', 'job_name="rollout-counts",outcome="success"')).toBeGreaterThan(0)
    await expect.poll(() => value('runs_total', 'job_name="sign-ins",outcome="failure"')).toBe(1)
    await jobs.stop()
    expect(await value('interval_seconds', 'job_name="rollout-counts"')).toBe(5)
    const last = (await value('last_success_timestamp_seconds', 'job_name="rollout-counts"')) ?? 0
    expect(Math.abs(Date.now() / 1000 - last)).toBeLessThan(60)
    expect(await value('last_success_timestamp_seconds', 'job_name="sign-ins"')).toBeUndefined()
    expect(valueOf(await scrape(own), 'teasel_database_pool_connections_max{pool="jobs",host="api"}')).toBeGreaterThan(10)
  })

  it('have the devices by connectivity and the rollouts under way as the lists count them', async () => {
    const text = await scrape()
    const { rows } = await api.deps.pool.query<{ contact: string; n: number }>(
      'select contact, count(*) as n from devices where deleted_at is null group by contact',
    )
    expect(rows.length).toBeGreaterThan(0)
    for (const { contact, n } of rows) expect(valueOf(text, `teasel_devices{connectivity="${contact}",host="api"}`)).toBe(n)
    expect(valueOf(text, 'teasel_rollouts_under_way{state="running",host="api"}')).toBe(2)
    for (const kind of ['mail', 'webhook']) expect(valueOf(text, `teasel_outbox_depth{kind="${kind}",host="api"}`)).toBe(0)
  })

  it('are read in one statement each, none of which reads the devices', async () => {
    const statements = await statementsOf(async () => ({ status: 200, text: await scrape() }))
    expect(statements.map((text) => [...text.matchAll(/from "(\w+)"/g)].map(([, table]) => table).join())).toEqual([
      'device_counts,device_count_changes',
      'rollouts',
      'mails',
      'webhook_deliveries',
    ])
  })

  it('say that the database does not answer, with everything else', async () => {
    const own = createMetrics('api')
    const closed = openDatabase({ url: `postgres://nobody@127.0.0.1:${await freePort()}/none`, onError: () => {} })
    own.watchDatabase(installationReading(closed.db))
    const text = await scrape(own)
    expect(valueOf(text, 'teasel_database_up{host="api"}')).toBe(0)
    expect(text).not.toContain('teasel_devices{')
    expect(text).toContain('nodejs_eventloop_lag_p99_seconds{host="api"}')
    await closed.close()
    expect(await read('teasel_database_up{host="api"}')).toBe(1)
  })

  it('do not wait for a database that hangs, and do not ask it again meanwhile', async () => {
    const own = createMetrics('sign-in')
    let reads = 0
    own.watchDatabase({ gauges: {}, read: () => new Promise<Record<string, never>>(() => void reads++) })
    const texts = await Promise.all([scrape(own), scrape(own)])
    expect(texts.map((text) => valueOf(text, 'teasel_database_up{host="sign-in"}'))).toEqual([0, 0])
    expect(reads).toBe(1)
  })

  it('are served at one address of a listener of their own, on loopback to names of loopback only', async () => {
    const port = await freePort()
    const stop = await serveMetrics(metrics, { port, bind: '127.0.0.1' }, log)
    const ask = (path: string, host?: string) =>
      new Promise<string>((resolve, reject) => {
        const sent = request(
          { port, host: '127.0.0.1', path, agent: false, ...(host !== undefined && { headers: { host } }) },
          (answer) => {
            answer.resume()
            resolve(`${answer.statusCode} ${answer.headers['content-type']}`)
          },
        )
        sent.on('error', reject).end()
      })
    expect(await ask('/metrics')).toBe('200 text/plain; version=0.0.4; charset=utf-8')
    expect(await ask('/metrics', 'elsewhere.example')).toBe('421 undefined')
    expect(await ask('/projects')).toBe('404 undefined')
    await stop()
    await expect(ask('/metrics')).rejects.toThrow('ECONNREFUSED')
  })
})

const promtool = '/usr/bin/promtool'
it.skipIf(!existsSync(promtool))('promtool finds nothing wrong with the names of the metrics', async () => {
  const check = (input: string) => spawnSync(promtool, ['check', 'metrics'], { input, encoding: 'utf8' })
  expect(check(await scrape())).toMatchObject({ status: 0, stderr: '' })
  expect(check('# HELP a_total A\n# TYPE a_total gauge\na_total 1\n').status).not.toBe(0)
})
