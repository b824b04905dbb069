import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { rollBackRollout } from '../../contract/updates/rollout-steps'
import { rolloutDevices } from '../../contract/updates/rollouts'
import { createTestApi, type TestApi } from '../../tests/support/api'
import { createDdiScene, type DdiScene } from '../../tests/support/ddi/scene'

let api: TestApi
let scene: DdiScene
beforeAll(async () => {
  api = await createTestApi()
  scene = await createDdiScene(api)
})
afterAll(() => api.close())

type Device = Awaited<ReturnType<DdiScene['join']>>[number]
type Release = Awaited<ReturnType<DdiScene['release']>>

let boots = 0
/** What a client reports after its device has restarted. */
const restart = (device: Device, { display_version }: Release) =>
  device.put({ sw_version: display_version, boot_id: `boot-${++boots}` })
const install = async (device: Device, release: Release) => {
  const { action } = await device.poll()
  await device.feedback(action, 'closed', { finished: 'success' })
  await restart(device, release)
  return action
}
const tick = async () => {
  for (let round = 0; round < 2; round++) await scene.tick()
}

/** A device that has installed one release and is installing the next one. */
const installing = async () => {
  const [device] = await scene.join(1)
  if (!device) throw new Error('no device')
  await device.put({ sw_version: '1.0.0', boot_id: 'first' })
  const former = await scene.release(randomBytes(64))
  await scene.start(former.id, [device])
  await install(device, former)
  expect(await device.row()).toMatchObject({ installedReleaseId: former.id })
  const release = await scene.release(randomBytes(64))
  const rolloutId = await scene.start(release.id, [device])
  const { action } = await device.poll()
  await device.feedback(action, 'proceeding', { details: ['Installed Chunk.'] })
  const update = async () => {
    const { body } = await api.call(rolloutDevices, { rolloutId }, { as: scene.ines })
    return body.devices[0]
  }
  return { device, former, release, rolloutId, action, update }
}

it('a device that reports its version only after the time to confirm has the release, but not in the boot of the offer', async () => {
  const { device, release, rolloutId, action, update } = await installing()
  await device.feedback(action, 'closed', { finished: 'success' })
  api.advance(3601)
  await tick()
  expect(await update()).toMatchObject({ state: 'timed_out', reason: 'Not confirmed by sw_version in time' })
  await device.put({ sw_version: release.display_version, boot_id: `boot-${boots}` })
  await tick()
  expect((await update())?.state).toBe('timed_out')
  await restart(device, release)
  await tick()
  expect(await update()).toMatchObject({ state: 'succeeded', reason: null })
  expect((await scene.rollout(rolloutId)).counts).toMatchObject({ succeeded: 1, failed: 0 })
})

it('a client that accepts the cancellation although it has installed the release is sent back once it runs it', async () => {
  const { device, former, release, rolloutId, action, update } = await installing()
  const body = { reason: 'It leaks memory' }
  const rolled = await api.call(rollBackRollout, { rolloutId }, { as: scene.ines, body })
  expect(rolled.status, rolled.text).toBe(200)
  expect(Object.keys((await device.poll()).links)).toEqual(['cancelAction'])
  await device.feedback(action, 'closed', { finished: 'success', kind: 'cancelAction' })
  expect((await update())?.state).toBe('cancelled')
  await tick()
  expect(await scene.rollout(rolloutId)).toMatchObject({
    state: 'rolled_back',
    state_reason: `No device has ${release.display_version}`,
  })
  // Its last report about the cancelled action changes nothing; what it runs does.
  expect((await device.feedback(action, 'closed', { finished: 'success' })).statusCode).toBe(200)
  expect((await update())?.state).toBe('cancelled')
  await restart(device, release)
  expect(await device.row()).toMatchObject({ installedReleaseId: release.id })
  await tick()
  await install(device, former)
  await tick()
  expect(await device.row()).toMatchObject({ installedReleaseId: former.id })
  expect((await scene.rollout(rolloutId)).state_reason).toBe('The device has returned')
})
