import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestApi, type TestApi } from '../../tests/support/api'
import { createDdiScene, type DdiScene } from '../../tests/support/ddi/scene'

let api: TestApi
let scene: DdiScene
beforeAll(async () => {
  api = await createTestApi({
    TEASEL_LIMIT_DDI_REQUESTS_PER_MINUTE: '5',
    TEASEL_LIMIT_DDI_FAILURES_PER_MINUTE: '3',
    TEASEL_DDI_HOSTS: 'hawkbit.example.com',
  })
  scene = await createDdiScene(api)
})
afterAll(() => api.close())

it('refuses too many polls of a device with 429, but not its reports', async () => {
  const [device] = await scene.join(1)
  if (!device) throw new Error('no device')
  const statuses: number[] = []
  for (let n = 0; n < 7; n++) statuses.push((await device.call(device.at)).statusCode)
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429])
  expect((await device.feedback('1000000001', 'proceeding')).statusCode).toBe(404)
})

it('refuses an address after too many failed authentications, but not the valid tokens from there', async () => {
  const [device] = await scene.join(1)
  const from = '203.0.113.9'
  const statuses: number[] = []
  for (let n = 0; n < 5; n++)
    statuses.push((await scene.send(`TargetToken wrong-token-of-a-device-${n}`, '/DEFAULT/controller/v1/x', { from })).statusCode)
  expect(statuses).toEqual([401, 401, 401, 429, 429])
  expect((await device?.call(device.at, { from }))?.statusCode).toBe(200)
})

it('serves only DDI at a further host name, with links to it, and takes a default port in any name', async () => {
  const [device] = await scene.join(1)
  const headers = { host: 'hawkbit.example.com:80' }
  const answer = await device?.call(device.at, { headers })
  expect([answer?.statusCode, answer?.json()._links.configData.href]).toEqual([
    200,
    `http://hawkbit.example.com:80/DEFAULT/controller/v1/${device?.id}/configData`,
  ])
  expect((await api.app.inject({ method: 'GET', url: '/users/self', headers })).statusCode).toBe(421)
})
