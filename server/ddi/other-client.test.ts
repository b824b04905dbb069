import { createHash, randomBytes } from 'node:crypto'
import { and, eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { device as readDevice, updateDevice } from '../../contract/fleet/devices'
import { updateDecision } from '../../contract/updates/device-updates'
import { checkIn } from '../../contract/device/endpoints'
import { previewRollout } from '../../contract/updates/rollout-plans'
import { createTestApi, type TestApi } from '../../tests/support/api'
import { createDdiScene, type DdiScene } from '../../tests/support/ddi/scene'
import { checkInBody } from '../../tests/support/devices'
import { createTestObjects } from '../../tests/support/test-objects'
import { devices } from '../fleet/schema/devices'
import { haltRollouts } from '../updates/rollouts/steps/cancel'
import { verifyAssets } from '../updates/releases/assets/integrity'
import { assets } from '../updates/schema/releases'

let api: TestApi
let scene: DdiScene
const bytes = randomBytes(20_000)
beforeAll(async () => {
  api = await createTestApi()
  scene = await createDdiScene(api)
})
afterAll(() => api.close())

const change = async (deviceId: string, protocol: 'ddi' | 'teasel') => {
  const { revision } = (await api.call(readDevice, { deviceId }, { as: scene.ines })).body
  const headers = { 'if-match': `"${revision}"` }
  return api.call(updateDevice, { deviceId }, { as: scene.ines, body: { protocol }, headers })
}

it('the agent of a device that runs a hawkBit client is told so, until a person changes the client back', async () => {
  const { id, token } = await createTestObjects(api.deps).device(scene.projectId)
  await api.db.update(devices).set({ serialNumber: 'was-an-agent' }).where(eq(devices.id, id))
  const ask = () => api.call(checkIn, {}, { as: { token }, body: checkInBody() })
  expect((await ask()).status).toBe(200)
  expect((await change(id, 'ddi')).status).toBe(200)
  const refused = await ask()
  expect([refused.status, refused.error.code]).toEqual([403, 'other_client'])
  expect((await change(id, 'teasel')).status).toBe(200)
  expect((await ask()).status).toBe(200)
})

it('the client of a device cannot be changed while an update is open, and can after its end', async () => {
  const [controller] = await scene.join(1)
  if (!controller) throw new Error('no device')
  const release = await scene.release(bytes)
  await scene.start(release.id, [controller])
  const { action } = await controller.poll()
  const { id } = await controller.row()
  for (const report of [undefined, 'claimed'] as const) {
    if (report) await controller.feedback(action, 'closed', { finished: 'success' })
    const refused = await change(id, 'teasel')
    expect([report, refused.status, refused.error.details[0]?.field]).toEqual([report, 422, 'protocol'])
  }
  api.advance(3601)
  await scene.tick()
  expect((await controller.update())?.state).toBe('timed_out')
  expect((await change(id, 'teasel')).status).toBe(200)
})

it('a device that reports a board which its model does not list gets no update, and the page says why', async () => {
  const [fits, other, silent] = await scene.join(3, 'zephyr')
  if (!fits || !other || !silent) throw new Error('no devices')
  await fits.put({ hw_boardname: 'zephyr' })
  await other.put({ hw_boardname: 'rev-c' })
  const release = await scene.release(bytes)
  const ids = await Promise.all([fits, other, silent].map(async (one) => (await one.row()).id))
  const body = { target: { device_ids: ids } }
  const seen = await api.call(previewRollout, { releaseId: release.id }, { as: scene.ines, body })
  expect(seen.body.excluded).toMatchObject([{ reason: 'hardware_matches', count: 1, sample: [{ name: other.id }] }])
  expect(seen.body.key_coverage).toEqual({ trusting: 0, not_applicable: 2, total: 2, missing: [] })
  // Reported between the preview and the offer.
  await other.put({ hw_boardname: 'zephyr' })
  await scene.start(release.id, [fits, other, silent])
  await other.put({ hw_boardname: 'rev-c' })
  const links = await Promise.all([fits, other, silent].map(async (one) => Object.keys((await one.poll()).links)))
  expect(links.map((names) => names.includes('deploymentBase'))).toEqual([true, false, true])
  const { id } = await other.row()
  const told = await api.call(updateDecision, { deviceId: id }, { as: scene.ines })
  expect(told.body.checks.find(({ result }) => result === 'fail')).toMatchObject({
    id: 'hardware_matches',
    observed: 'board rev-c',
    required: 'zephyr',
  })
})

it('the hashes that clients compare are stored by the check of new files for a bundle, and at their first use for others', async () => {
  const [controller] = await scene.join(1)
  if (!controller) throw new Error('no device')
  const { id: releaseId } = await scene.release(bytes)
  const of = eq(assets.releaseId, releaseId)
  const expected = (['sha1', 'md5'] as const).map((name) => createHash(name).update(bytes).digest('hex'))
  const stored = async () => {
    const [row] = await api.db.select({ sha1: assets.sha1, md5: assets.md5 }).from(assets).where(of)
    return [row?.sha1, row?.md5]
  }
  const verify = async () => {
    await api.db.update(assets).set({ verifiedAt: null }).where(and(of))
    await verifyAssets({ ...api.deps, haltRollouts }, 100, 'unverified')
  }
  await verify()
  expect(await stored()).toEqual([null, null])
  await api.db.update(assets).set({ kind: 'bundle' }).where(of)
  await verify()
  expect(await stored()).toEqual(expected)
  await api.db.update(assets).set({ kind: 'payload', sha1: null, md5: null }).where(of)
  await scene.start(releaseId, [controller])
  const { action } = await controller.poll()
  await Promise.all([controller.call(`deploymentBase/${action}`), controller.call(`deploymentBase/${action}`)])
  expect(await stored()).toEqual(expected)
})
