import { randomBytes } from 'node:crypto'
import { request, type ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createTestApi, type TestApi } from '../../tests/support/api'
import { freePort } from '../../tests/support/free-port'
import { createDdiScene, type DdiScene } from '../../tests/support/ddi/scene'
import { rejectDamagedAsset } from '../updates/releases/assets/integrity'
import { haltRollouts } from '../updates/rollouts/steps/cancel'
import { assets } from '../updates/schema/releases'
import { rolloutDevices } from '../updates/schema/rollouts'
import { ddiActions } from './schema/ddi'
import { within } from '../../tests/support/machine-load'

let api: TestApi
let port: number
let scene: DdiScene
beforeAll(async () => {
  port = await freePort()
  api = await createTestApi({ TEASEL_API_PORT: String(port) })
  scene = await createDdiScene(api)
})
afterAll(() => api.close())

const started = async () => {
  const [device] = await scene.join(1)
  if (!device) throw new Error('no device')
  const release = await scene.release(randomBytes(5000))
  await scene.start(release.id, [device])
  return { device, release }
}

it('a database that is away answers every poll with 503 and the time to ask again, and the next poll gets the action', async () => {
  const { device } = await started()
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  const away = [
    vi.spyOn(api.deps.pool, 'connect').mockImplementation(() => Promise.reject(refused)),
    vi.spyOn(api.deps.pool, 'query').mockImplementation(() => Promise.reject(refused)),
  ]
  const answer = await device.call(device.at)
  for (const spy of away) spy.mockRestore()
  expect([answer.statusCode, Number(answer.headers['retry-after']) > 0]).toEqual([503, true])
  expect(answer.json()).toMatchObject({ errorCode: expect.stringMatching(/^teasel\./), message: expect.any(String) })
  expect((await device.poll()).action).toMatch(/^1\d{9}$/)
})

it('a file that is damaged in the storage cancels its action', async () => {
  const { device, release } = await started()
  const { action } = await device.poll()
  await device.feedback(action, 'proceeding')
  const [file] = await api.db.select().from(assets).where(eq(assets.releaseId, release.id))
  if (!file) throw new Error('no file')
  await rejectDamagedAsset({ ...api.deps, haltRollouts }, file)
  const { links } = await device.poll()
  expect(links).toHaveProperty('cancelAction')
  expect(links).not.toHaveProperty('deploymentBase')
})

it('parallel polls of one device get one action, and its update is offered once', async () => {
  const { device } = await started()
  const polls = await Promise.all(Array.from({ length: 8 }, () => device.poll()))
  expect(new Set(polls.map(({ action }) => action)).size).toBe(1)
  const { id } = await device.row()
  expect(await api.db.select().from(ddiActions).where(eq(ddiActions.deviceId, id))).toHaveLength(1)
  expect(await api.db.select().from(rolloutDevices).where(eq(rolloutDevices.deviceId, id))).toHaveLength(1)
})

it('the time that a device states moves nothing: its report counts when it arrives', async () => {
  const { device } = await started()
  const { action } = await device.poll()
  await device.feedback(action, 'proceeding', { time: '19700101T000000', details: ['Downloaded 10%'] })
  await device.feedback(action, 'proceeding', { time: '20991231T235959', details: ['Downloaded 20%'] })
  expect(await device.row()).toMatchObject({ updateState: 'downloading', updateProgress: 20 })
  expect((await device.update())?.since.getTime()).toBe(api.deps.clock().getTime())
})

it('a stored file is closed when the client leaves before its first byte', async () => {
  await api.app.listen({ port, host: '127.0.0.1' })
  const { token } = await scene.gateway()
  const authorization = `GatewayToken ${token}`
  const device = scene.controller('leaving', authorization)
  await device.poll()
  const release = await scene.release(randomBytes(5000))
  await scene.start(release.id, [device])
  const { action } = await device.poll()
  let isGone = false
  api.app.server.once('request', (_request, response: ServerResponse) => response.once('close', () => (isGone = true)))
  const opened: Readable[] = []
  const { storage } = api.deps
  const read: typeof storage.read = async (key, range) => {
    const bytes = await storage.read(key, range)
    opened.push(bytes)
    leaving.destroy()
    await vi.waitFor(() => expect(isGone).toBe(true), within(5000))
    return bytes
  }
  api.deps.storage = { ...storage, read }
  // Of a range the bytes are not hashed: only the generators of DDI are around them.
  const headers = { authorization, range: 'bytes=0-99' }
  const leaving = request(`${api.config.urls.api}${device.at}/softwaremodules/${action}/artifacts/app.bin`, {
    headers,
    agent: false,
  })
  leaving.on('error', () => {}).end()
  // The first one is read to compare its hash.
  await vi.waitFor(() => expect(opened.map(({ closed }) => closed)).toEqual([true, true]), within(5000))
  api.deps.storage = storage
})
