import { afterAll, beforeAll, expect, it } from 'vitest'
import { projectAuditLog } from '../../contract/accounts/audit'
import { askForAttributes, deviceReport } from '../../contract/fleet/device-reports'
import { sendCommand } from '../../contract/fleet/device-commands'
import { updateDecision } from '../../contract/updates/device-updates'
import { createDevice, device as deviceEndpoint } from '../../contract/fleet/devices'
import { createTestApi, type TestApi } from '../../tests/support/api'
import { createDdiScene, type DdiScene } from '../../tests/support/ddi/scene'

let api: TestApi
let scene: DdiScene
beforeAll(async () => {
  api = await createTestApi()
  scene = await createDdiScene(api)
})
afterAll(() => api.close())

const joined = async () => {
  const [device] = await scene.join(1)
  if (!device) throw new Error('no device')
  return { device, deviceId: (await device.row()).id }
}
const reportOf = async (deviceId: string) => (await api.call(deviceReport, { deviceId }, { as: scene.ines })).body

it('the last report of a client is shown as it was sent, with its time', async () => {
  const { device, deviceId } = await joined()
  expect((await reportOf(deviceId)).last_report).toBeNull()
  await device.put({ sw_version: '1.0.0', boot_id: 'first' })
  const release = await scene.release(Buffer.from('bundle'))
  await scene.start(release.id, [device])
  const { action } = await device.poll()
  await device.feedback(action, 'proceeding', { details: ['Installed Chunk.'] })
  const text = JSON.stringify({
    id: action,
    time: '20260601T120000',
    status: { execution: 'proceeding', result: { finished: 'none' }, details: ['Installed Chunk.'] },
  })
  const report = await reportOf(deviceId)
  expect(report.last_report?.text).toBe(text)
  expect(new Date(report.last_report?.received_at ?? '').getTime()).toBe(api.deps.clock().getTime())
})

it('the next check-in that people see is the one that the client was told, also during an update', async () => {
  const { device, deviceId } = await joined()
  const compare = async () => {
    const { sleep } = await device.poll()
    const [hours = 0, minutes = 0, seconds = 0] = sleep.split(':').map(Number)
    const next = api.deps.clock().getTime() + 1000 * (3600 * hours + 60 * minutes + seconds)
    const { next_check_in_at } = (await api.call(deviceEndpoint, { deviceId }, { as: scene.ines })).body
    const { next_check_at } = (await api.call(updateDecision, { deviceId }, { as: scene.ines })).body
    expect([next_check_in_at, next_check_at].map((time) => new Date(time ?? '').getTime())).toEqual([next, next])
    return sleep
  }
  expect(await compare()).not.toBe('00:01:00')
  const release = await scene.release(Buffer.from('bundle'))
  await scene.start(release.id, [device])
  expect(await compare()).toBe('00:01:00')
  await device.feedback((await device.poll()).action, 'closed', { finished: 'success' })
  expect(await compare()).toBe('00:01:00')
})

it('a command for a device with a hawkBit client is refused, since no poll would deliver it', async () => {
  const { deviceId } = await joined()
  const sent = await api.call(sendCommand, { deviceId }, { as: scene.ines, body: { command: 'reboot' } })
  expect([sent.status, sent.error.message]).toEqual([409, 'A hawkBit client takes no commands'])
})

it('a person asks for attributes: a poll links to them until the client has sent them', async () => {
  const { device, deviceId } = await joined()
  await device.put({ sw_version: '1.0.0' })
  api.advance(61)
  expect((await device.poll()).links).toEqual({})
  const asked = await api.call(askForAttributes, { deviceId }, { as: scene.ines })
  expect([asked.status, asked.body.attributes_asked]).toEqual([200, true])
  expect(Object.keys((await device.poll()).links)).toEqual(['configData'])
  await device.put({ sw_version: '1.0.1' })
  expect((await reportOf(deviceId)).attributes_asked).toBe(false)
  api.advance(61)
  expect((await device.poll()).links).toEqual({})
  const { entries } = (await api.call(projectAuditLog, { projectId: scene.projectId }, { as: scene.ines })).body
  expect(entries.filter(({ action, target }) => action === 'device.command' && target.name === device.id)).toHaveLength(1)
})

it('a device that runs our agent is not asked', async () => {
  const body = { name: 'agent', hardware_model: 'teasel' }
  const made = await api.call(createDevice, { projectId: scene.projectId }, { as: scene.ines, body })
  expect((await api.call(askForAttributes, { deviceId: made.body.id }, { as: scene.ines })).status).toBe(409)
  expect(await reportOf(made.body.id)).toMatchObject({ last_report: null, attributes_asked: false })
})
