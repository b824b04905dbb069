import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { updateDecision } from '../../contract/updates/device-updates'
import { device, devices } from '../../contract/fleet/devices'
import { overview } from '../../contract/overview/monitor'
import { project } from '../../contract/accounts/projects'
import { release, releases, revokeRelease } from '../../contract/updates/releases'
import { cancelRollout } from '../../contract/updates/rollout-steps'
import { createTestApi, type TestApi } from '../../tests/support/api'
import { createRolloutFixture } from '../../tests/support/rollout-fixture'
import { devices as deviceRows } from '../fleet/schema/devices'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

/** A release that two of three devices run after its rollout has ended. */
const rolledOut = async () => {
  const ann = await api.person()
  const projectId = await api.project({ ownerId: ann.id })
  const made = await createRolloutFixture(api, ann, projectId, 3)
  const [first = '', second = ''] = made.ids
  const { id: rolloutId, name } = await made.start({ target: { device_ids: [first, second] } })
  await made.tick()
  expect(await made.round()).toBe(2)
  await made.tick()
  api.advance(120)
  await made.tick()
  expect((await made.read(rolloutId)).state).toBe('completed')
  const as = { ...ann, ...(await api.session(ann.id)) }
  const releaseId = made.release.id
  const decisionOn = async (deviceId: string) => (await api.call(updateDecision, { deviceId }, { as })).body
  const textOf = async (deviceId: string) => (await decisionOn(deviceId)).checks.find(({ id }) => id === 'rollout_running')?.text
  return { ...made, as, projectId, releaseId, rolloutId, rolloutName: name, first, second, textOf }
}

it('a release that is revoked is named by every place that shows the devices that run it', async () => {
  const { as, projectId, releaseId, ids, first, second } = await rolledOut()
  const readRelease = async () => (await api.call(release, { releaseId }, { as })).body
  const readDevice = async (deviceId: string) => (await api.call(device, { deviceId }, { as })).body
  const list = async (query: Record<string, string>) => (await api.call(devices, { projectId }, { as, query })).body
  const idsOf = async (query: Record<string, string>) => (await list(query)).devices.map(({ id }) => id)
  // What the question before revoking tells.
  expect((await readRelease()).active_devices).toBe(2)
  expect((await readDevice(first)).installed_revoked).toBeNull()
  const before = (await api.call(overview, { projectId }, { as })).body
  expect(before.attention.filter(({ kind }) => kind === 'revoked')).toEqual([])

  const revoked = await api.call(revokeRelease, { releaseId }, { as, body: { reason: 'It leaks a key' } })
  expect([revoked.status, revoked.body.active_devices]).toEqual([200, 2])
  for (const id of ids)
    expect((await readDevice(id)).installed_revoked).toEqual(id === ids[2] ? null : { reason: 'It leaks a key' })
  expect(await idsOf({ attention: 'revoked' })).toEqual([first, second])
  expect(await idsOf({ release_id: releaseId })).toEqual([first, second])
  const found = await list({ release_id: releaseId })
  expect([found.total, found.facets.version[0]?.count]).toEqual([2, 2])
  const { attention, counts } = (await api.call(overview, { projectId }, { as })).body
  const shown = attention.filter(({ kind }) => kind === 'revoked')
  expect(shown.map(({ device_id, release_id, action }) => [device_id, release_id, action]).toSorted()).toEqual(
    [first, second].toSorted().map((id) => [id, releaseId, 'open_release']),
  )
  expect(counts.attention).toBe(before.counts.attention + (await list({ attention: 'revoked' })).devices.length)
  expect((await api.call(project, { projectId }, { as })).body.counts.devices_attention).toBe(counts.attention)
  const { releases: all } = (await api.call(releases, { projectId }, { as })).body
  expect(all.find(({ id }) => id === releaseId)).toMatchObject({ state: 'revoked', active_devices: 2 })
})

it('a device that takes the next release needs no attention for the revoked one any more', async () => {
  const { as, projectId, releaseId, maker, things, start, tick, first, second } = await rolledOut()
  await api.call(revokeRelease, { releaseId }, { as, body: { reason: 'It leaks a key' } })
  const next = await maker.signed({ version: 3, bytes: Buffer.from('mended') })
  const { id: rolloutId } = await start({ target: { device_ids: [first, second] } }, next.id)
  await tick()
  expect(await things.ask(first)).toMatchObject({ rolloutId })
  await things.install(first, rolloutId)
  const { attention } = (await api.call(overview, { projectId }, { as })).body
  expect(attention.filter(({ kind }) => kind === 'revoked').map(({ device_id }) => device_id)).toEqual([second])
  expect((await api.call(release, { releaseId }, { as })).body.active_devices).toBe(1)
  expect((await api.call(device, { deviceId: first }, { as })).body.installed_revoked).toBeNull()
})

it('why a device gets no update names the rollout that has ended, and what ended it', async () => {
  const { as, ids, rolloutName, first, start, tick, textOf } = await rolledOut()
  // It was set back by hand.
  await api.db.update(deviceRows).set({ installedVersion: 1, installedReleaseId: null }).where(eq(deviceRows.id, first))
  expect(await textOf(first)).toBe(`The rollout ${rolloutName} is completed`)
  const third = ids[2] ?? ''
  const other = await start({ target: { device_ids: [third] } })
  await api.call(cancelRollout, { rolloutId: other.id }, { as, body: { mode: 'stop_new', reason: 'Not on a Friday' } })
  await tick()
  expect(await textOf(third)).toMatch(new RegExp(`^The rollout ${other.name} is cancelled: .*Not on a Friday`))
})

it('why a device gets no update says that its release was revoked', async () => {
  const { as, releaseId, first } = await rolledOut()
  await api.db.update(deviceRows).set({ installedVersion: 1, installedReleaseId: null }).where(eq(deviceRows.id, first))
  await api.call(revokeRelease, { releaseId }, { as, body: { reason: 'It leaks a key' } })
  const { checks } = (await api.call(updateDecision, { deviceId: first }, { as })).body
  expect(checks.find(({ result }) => result === 'fail')).toMatchObject({
    id: 'signature_valid_and_unexpired',
    observed: 'revoked',
    text: 'The release is revoked',
  })
})
