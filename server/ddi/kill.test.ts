import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { and, asc, eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { createTestApi, type TestApi } from '../../tests/support/api'
import { createDdiScene, type DdiScene } from '../../tests/support/ddi/scene'
import { startApiProcess } from '../../tests/support/start-api-process'
import { openStorage } from '../core/storage/open-storage'
import { updateEvents } from '../fleet/schema/telemetry.partitioned'
import { assets } from '../updates/schema/releases'

let api: TestApi
let scene: DdiScene
beforeAll(async () => {
  api = await createTestApi()
  // The process uses the real clock.
  api.advance((Date.now() - api.deps.clock().getTime()) / 1000)
  scene = await createDdiScene(api)
})
afterAll(() => api.close())

type Sent = { method?: string; path: string; authorization: string; body?: string }

it('F-16: an API killed while clients report and download loses no answered report, and counts a repeated one once', async () => {
  const reporters = 16
  const bytes = randomBytes(24 * 1024 * 1024)
  const { token } = await scene.gateway()
  const authorization = `GatewayToken ${token}`
  const devices = Array.from({ length: reporters + 1 }, (_, n) => scene.controller(`killed-${n}`, authorization))
  for (const device of devices) await device.poll()
  const release = await scene.release(bytes)
  const [asset] = await api.db.select().from(assets).where(eq(assets.releaseId, release.id))
  // The API of this process has its files in memory.
  await (await openStorage(api.config.storage)).write(asset?.storageKey ?? '', Readable.from([bytes]))
  await scene.start(release.id, devices)
  const actions: string[] = []
  for (const device of devices) actions.push((await device.poll()).action)

  const { child, port } = await startApiProcess(api)
  onTestFinished(() => void child.kill('SIGKILL'))
  const { host } = new URL(api.config.urls.api)
  /** The answer of the process; undefined if it was killed before. */
  const send = ({ method = 'GET', path, authorization: own, body }: Sent) =>
    new Promise<IncomingMessage | undefined>((resolve) => {
      const headers = { host, authorization: own, 'user-agent': 'libcurl-agent/1.0', 'content-type': 'application/json' }
      request({ port, host: '127.0.0.1', method, path, headers, agent: false }, resolve)
        .on('error', () => resolve(undefined))
        .end(body)
    })

  const [downloader, ...reporting] = devices
  if (!downloader) throw new Error('no device')
  const file = `softwaremodules/${actions[0]}/artifacts/app.bin`
  const download = await send({ path: `${downloader.at}/${file}`, authorization })
  if (download?.statusCode !== 200) throw new Error(`no download: ${download?.statusCode}`)
  const received: Buffer[] = []
  download.on('data', (chunk: Buffer) => received.push(chunk)).on('error', () => {})
  await once(download, 'data')

  const report = (n: number, percent: number) => ({
    method: 'POST' as const,
    path: `${reporting[n]?.at}/deploymentBase/${actions[n + 1]}/feedback`,
    body: JSON.stringify({
      status: { execution: 'proceeding', result: { finished: 'none' }, details: [`Downloaded ${percent}%`] },
    }),
  })
  let left = 30
  let kill = () => {}
  const enough = new Promise<void>((resolve) => (kill = resolve))
  /** One report after the other: the last one is under way when the process is killed. */
  const ends = reporting.map(async (_, n) => {
    for (let percent = 1; ; percent++) {
      const answer = await send({ ...report(n, percent), authorization })
      if (!answer) return percent
      expect(answer.statusCode).toBe(200)
      answer.resume()
      if (--left === 0) kill()
    }
  })
  await enough
  child.kill('SIGKILL')
  const unanswered = await Promise.all(ends)

  const listStored = async (n: number) => {
    const { id } = (await reporting[n]?.row()) ?? { id: '' }
    const stored = await api.db
      .select({ percent: updateEvents.progressPercent })
      .from(updateEvents)
      .where(and(eq(updateEvents.deviceId, id), eq(updateEvents.type, 'download_progress')))
      .orderBy(asc(updateEvents.progressPercent))
    return stored.map(({ percent }) => percent)
  }
  for (const [n, device] of reporting.entries()) {
    const percent = unanswered[n] ?? 0
    const all = Array.from({ length: percent }, (_, index) => index + 1)
    expect([all, all.slice(0, -1)]).toContainEqual(await listStored(n))
    const { method, path, body } = report(n, percent)
    const again = await device.call(path, { method, payload: body })
    expect([again.statusCode, await listStored(n)]).toEqual([200, all])
    expect(await device.update()).toMatchObject({ state: 'downloading', progress: percent })
  }

  const before = Buffer.concat(received)
  expect(before.length).toBeLessThan(bytes.length)
  expect((await downloader.poll()).action).toBe(actions[0])
  const rest = await downloader.call(file, { headers: { range: `bytes=${before.length}-` } })
  expect(rest.statusCode).toBe(206)
  expect(Buffer.concat([before, rest.rawPayload]).equals(bytes)).toBe(true)
})
