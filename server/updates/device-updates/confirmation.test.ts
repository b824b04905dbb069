import { and, eq } from 'drizzle-orm'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BodyOf } from '../../../contract/core/endpoint'
import { deviceUpdateEvents } from '../../../contract/updates/device-updates'
import type { UpdateEventType } from '../../../contract/device/update-events'
import * as deviceContract from '../../../contract/fleet/devices'
import * as projectChanges from '../../../contract/accounts/project-changes'
import * as projects from '../../../contract/accounts/projects'
import { rolloutDevices as listRolloutDevices } from '../../../contract/updates/rollouts'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { createRolloutFixture, waves } from '../../../tests/support/rollout-fixture'
import { getProjectSettings } from '../../accounts/projects/plan-and-settings.repository'
import { devices } from '../../fleet/schema/devices'
import { releases } from '../schema/releases'
import { rolloutDevices } from '../schema/rollouts'
import { recordSelfReport, type SelfReport } from './confirmation'
import { storeEvents } from './store-events'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

type ModelClient = NonNullable<
  NonNullable<NonNullable<BodyOf<typeof projectChanges.updateProject>['settings']>['hardware_models']>[0]['client']
>

/** Devices of a DDI client, with the reports that its requests are translated to. The release of the rollout has version 2. */
const ddiFleet = async (count: number, client: ModelClient = { kind: 'swupdate' }) => {
  const ann = await api.person()
  const projectId = await api.project({ ownerId: ann.id })
  const model = { id: 'gw', name: 'Gateway', platform: 'linux', slots: 'single' as const, client }
  const before = await api.call(projects.project, { projectId }, { as: ann })
  const changed = await api.call(
    projectChanges.updateProject,
    { projectId },
    {
      as: ann,
      body: { settings: { hardware_models: [model] } },
      headers: { 'if-match': `"${before.body.revision}"` },
    },
  )
  expect(changed.status, changed.text).toBe(200)
  const play = await createRolloutFixture(api, ann, projectId, count)
  await api.db.update(devices).set({ protocol: 'ddi', bootId: 'boot-1' }).where(eq(devices.projectId, projectId))
  await api.db.update(releases).set({ reboot: 'after_install' }).where(eq(releases.id, play.release.id))
  const sequences = new Map<string, number>()
  const inDevice = <T>(
    id: string,
    work: (of: {
      tx: Parameters<typeof storeEvents>[0]
      row: typeof devices.$inferSelect
      settings: projects.ProjectSettings
    }) => Promise<T>,
  ) =>
    api.db.transaction(async (tx) => {
      const [row] = await tx.select().from(devices).where(eq(devices.id, id)).for('no key update')
      if (!row) throw new Error(`no device ${id}`)
      return work({ tx, row, settings: await getProjectSettings(tx, projectId) })
    })
  const report = (id: string, rolloutId: string, ...types: UpdateEventType[]) =>
    inDevice(id, ({ tx, row, settings }) => {
      const events = types.map((type) => {
        const sequence = (sequences.get(id) ?? 0) + 1
        sequences.set(id, sequence)
        const facts = { event_id: randomUUID(), sequence, rollout_id: rolloutId, release_id: null, version: null }
        return { ...facts, type, ts_ms: api.deps.clock().getTime() }
      })
      return storeEvents(tx, row, settings, events, api.deps.clock())
    })
  const say = (id: string, said: Partial<SelfReport>) =>
    inDevice(id, ({ tx, row, settings }) =>
      recordSelfReport(tx, row, settings, { version: null, bootId: null, ...said }, api.deps.clock()),
    )
  const shown = async (deviceId: string) => (await api.call(deviceContract.device, { deviceId }, { as: ann })).body
  const state = async (id: string) => (await shown(id)).update?.state
  const history = async (deviceId: string) =>
    (await api.call(deviceUpdateEvents, { deviceId }, { as: ann, query: { limit: 50 } })).body.update_events
  const stored = async (rolloutId: string, id: string) => {
    const of = and(eq(rolloutDevices.rolloutId, rolloutId), eq(rolloutDevices.deviceId, id))
    return (await api.db.select().from(rolloutDevices).where(of))[0]
  }
  /** Every device of the fleet that is offered the release now. */
  const offered = async () => {
    const ids: string[] = []
    for (const id of play.ids) if ('envelope' in (await play.things.ask(id))) ids.push(id)
    return ids
  }
  return { ...play, ann, report, say, shown, state, history, stored, offered }
}

/** One device that was offered the release in the boot `boot-1`. */
const one = async (client?: ModelClient) => {
  const play = await ddiFleet(1, client)
  const { id: rolloutId } = await play.start()
  const [id = ''] = await play.offered()
  return { ...play, id, rolloutId, claim: () => play.report(id, rolloutId, 'update_accepted', 'update_claimed') }
}

describe('a claimed update', () => {
  it('is no success, and says until when it waits for what', async () => {
    const play = await one()
    await play.claim()
    const device = await play.shown(play.id)
    expect(device).toMatchObject({ protocol: 'ddi', verifier: 'swupdate_cms', installed: null })
    const until = new Date(api.deps.clock().getTime() + 3_600_000)
    expect(device.update).toMatchObject({ state: 'claimed', claim: { attribute: 'sw_version' } })
    expect(new Date(device.update?.claim?.until ?? 0).getTime()).toBe(Math.floor(until.getTime() / 1000) * 1000)
    expect((await play.read(play.rolloutId)).counts).toMatchObject({ running: 1, claimed: 1, succeeded: 0 })
  })

  it('succeeds when the device reports the version in a new boot, and the history names the evidence', async () => {
    const play = await one()
    await play.claim()
    await play.say(play.id, { version: '2', bootId: 'boot-2' })
    const device = await play.shown(play.id)
    expect(device.update).toMatchObject({ state: 'succeeded', claim: null })
    expect(device.installed).toMatchObject({ version: 2, confirmed: true })
    expect((await play.history(play.id))[0]).toMatchObject({
      type: 'update_confirmed',
      from_state: 'claimed',
      to_state: 'succeeded',
      message: 'Reports sw_version 2 after a restart',
      boot_id: 'boot-2',
      source: 'server',
    })
    expect((await play.stored(play.rolloutId, play.id))?.evidence).toMatchObject({ by: 'version', version: '2', boot: 'new' })
  })

  it('waits on the new version in the boot of the offer, and ends as not confirmed at its deadline', async () => {
    const play = await one()
    await play.claim()
    await play.say(play.id, { version: '2', bootId: 'boot-1' })
    expect(await play.state(play.id)).toBe('claimed')
    expect((await play.shown(play.id)).installed).toBe(null)
    api.advance(3599)
    await play.tick()
    expect(await play.state(play.id)).toBe('claimed')
    api.advance(2)
    await play.tick()
    const device = await play.shown(play.id)
    expect(device.update).toMatchObject({ state: 'timed_out', error_code: 'not_confirmed' })
    expect((await play.history(play.id))[0]).toMatchObject({ type: 'update_timed_out', reason_code: 'not_confirmed' })
  })

  it('is rolled back at once when the device comes back in a new boot with another version', async () => {
    const play = await one()
    await play.claim()
    await play.say(play.id, { version: '1', bootId: 'boot-2' })
    expect((await play.shown(play.id)).update).toMatchObject({ state: 'rolled_back', error_code: 'boot_failed' })
    expect((await play.history(play.id))[0]).toMatchObject({ message: 'Reports sw_version 1 after a restart' })
  })

  it('is rolled back at its deadline when the device without boot ids has reported another version since', async () => {
    const play = await one()
    await api.db.update(rolloutDevices).set({ offerBootId: null }).where(eq(rolloutDevices.deviceId, play.id))
    await play.claim()
    await play.say(play.id, { version: '1' })
    expect(await play.state(play.id)).toBe('claimed')
    api.advance(3601)
    await play.tick()
    const device = await play.shown(play.id)
    expect(device.update).toMatchObject({ state: 'rolled_back', error_code: 'boot_failed', error_text: 'Reports sw_version 1' })
  })

  it('forgets what was reported before the claim', async () => {
    const play = await one()
    await play.report(play.id, play.rolloutId, 'reboot_requested')
    await play.say(play.id, { version: '1', bootId: 'boot-1' })
    await play.report(play.id, play.rolloutId, 'update_claimed')
    api.advance(3601)
    await play.tick()
    expect((await play.shown(play.id)).update).toMatchObject({ state: 'timed_out', error_code: 'not_confirmed' })
  })

  it('succeeds without boot ids by a report after the claim, not by one before it', async () => {
    const play = await one()
    await api.db.update(rolloutDevices).set({ offerBootId: null }).where(eq(rolloutDevices.deviceId, play.id))
    await play.report(play.id, play.rolloutId, 'update_accepted')
    await play.say(play.id, { version: '2' })
    expect(await play.state(play.id)).toBe('downloading')
    await play.claim()
    expect(await play.state(play.id)).toBe('claimed')
    await play.say(play.id, { version: '2' })
    expect(await play.state(play.id)).toBe('succeeded')
  })

  it('compares with the first boot id after the offer if there was none at the offer', async () => {
    const play = await one()
    await api.db.update(rolloutDevices).set({ offerBootId: null }).where(eq(rolloutDevices.deviceId, play.id))
    await play.say(play.id, { version: '1', bootId: 'boot-7' })
    await play.claim()
    await play.say(play.id, { version: '2', bootId: 'boot-7' })
    expect(await play.state(play.id)).toBe('claimed')
    await play.say(play.id, { version: '2', bootId: 'boot-8' })
    expect(await play.state(play.id)).toBe('succeeded')
  })

  it('keeps its slot and its wave until it is confirmed', async () => {
    const play = await ddiFleet(4)
    const { id: rolloutId } = await play.start({ waves: waves(50, 100), max_concurrent: 1 })
    const [first = '', ...others] = await play.offered()
    expect(others).toEqual([])
    await play.report(first, rolloutId, 'update_claimed')
    expect(await play.offered()).toEqual([first])
    await play.say(first, { version: '2', bootId: 'boot-2' })
    const [second = ''] = await play.offered()
    expect(second).not.toBe('')
    await play.report(second, rolloutId, 'update_claimed')
    await play.tick()
    api.advance(120)
    await play.tick()
    expect(await play.read(rolloutId)).toMatchObject({ current_wave: 1, counts: { succeeded: 1, claimed: 1 } })
    await play.say(second, { version: '2', bootId: 'boot-2' })
    await play.tick()
    api.advance(120)
    await play.tick()
    expect(await play.read(rolloutId)).toMatchObject({ current_wave: 2, counts: { succeeded: 2, claimed: 0 } })
  })

  it('of devices that all fall back halts the rollout, and none counts as a success', async () => {
    const play = await ddiFleet(20)
    const { id: rolloutId } = await play.start({ waves: waves(50, 100), retries: 0 })
    const ids = await play.offered()
    for (const [n, id] of ids.entries()) {
      await play.report(id, rolloutId, 'update_accepted', 'update_claimed')
      // A tenth stays silent.
      if (n > 0) await play.say(id, { version: '1', bootId: 'boot-2' })
    }
    api.advance(3601)
    await play.tick()
    expect(await play.read(rolloutId)).toMatchObject({ state: 'halted', counts: { succeeded: 0, claimed: 0, failed: 10 } })
    const listed = await api.call(listRolloutDevices, { rolloutId }, { as: play.ann, query: { group: 'failed' } })
    expect(listed.body.devices.map(({ state }) => state).toSorted()).toEqual([
      ...Array<string>(9).fill('rolled_back'),
      'timed_out',
    ])
  })

  it('that was not answered until the deadline stays ended; later evidence shows only what is installed', async () => {
    const play = await one()
    await play.claim()
    api.advance(3601)
    await play.tick()
    expect(await play.state(play.id)).toBe('timed_out')
    await play.say(play.id, { version: '2', bootId: 'boot-2' })
    const device = await play.shown(play.id)
    expect(device.update).toMatchObject({ state: 'timed_out' })
    expect(device.installed).toMatchObject({ version: 2, confirmed: true })
    await play.say(play.id, { version: 'locally built', bootId: 'boot-3' })
    expect((await play.shown(play.id)).installed).toBe(null)
  })
})

describe('a restart that a DDI device announced', () => {
  it('must be confirmed within the time of its hardware model', async () => {
    const play = await one({ kind: 'rauc', confirm_within_s: 600 })
    await play.report(play.id, play.rolloutId, 'reboot_requested')
    api.advance(601)
    await play.tick()
    expect((await play.shown(play.id)).update).toMatchObject({ state: 'timed_out', error_code: 'not_confirmed' })
  })

  it('is confirmed by the version that its hardware model names, also without a claim', async () => {
    const play = await one({ kind: 'zephyr', version_attribute: 'fw' })
    await play.report(play.id, play.rolloutId, 'reboot_requested')
    await play.say(play.id, { version: '2', bootId: 'boot-2' })
    expect((await play.history(play.id))[0]).toMatchObject({ message: 'Reports fw 2 after a restart' })
    expect(await play.shown(play.id)).toMatchObject({ verifier: 'mcuboot', update: { state: 'succeeded' } })
  })
})

describe('the word of the client', () => {
  const served = (id: string) =>
    api.db.update(rolloutDevices).set({ bytesDone: 64, bytesTotal: 64 }).where(eq(rolloutDevices.deviceId, id))

  it('confirms after the restart with every byte served, if the hardware model says so', async () => {
    const play = await one({ kind: 'swupdate', confirm_by: 'client' })
    await served(play.id)
    await play.report(play.id, play.rolloutId, 'reboot_requested')
    await play.report(play.id, play.rolloutId, 'update_claimed')
    expect((await play.shown(play.id)).update).toMatchObject({ state: 'succeeded' })
    expect((await play.history(play.id))[0]).toMatchObject({ type: 'update_confirmed', message: "By the client's word" })
  })

  it('does not confirm before the restart, or with bytes missing', async () => {
    const early = await one({ kind: 'swupdate', confirm_by: 'client' })
    await served(early.id)
    await early.claim()
    expect(await early.state(early.id)).toBe('claimed')
    const partly = await one({ kind: 'swupdate', confirm_by: 'client' })
    await api.db.update(rolloutDevices).set({ bytesDone: 63, bytesTotal: 64 }).where(eq(rolloutDevices.deviceId, partly.id))
    await partly.report(partly.id, partly.rolloutId, 'reboot_requested')
    await partly.report(partly.id, partly.rolloutId, 'update_claimed')
    expect(await partly.state(partly.id)).toBe('claimed')
  })
})

it('a confirmation by our agent leaves the same evidence: the version and the boot', async () => {
  const ann = await api.person()
  const play = await createRolloutFixture(api, ann, await api.project({ ownerId: ann.id }), 1)
  const [id = ''] = play.ids
  const [before, after] = [randomUUID(), randomUUID()]
  await api.db.update(devices).set({ bootId: before }).where(eq(devices.id, id))
  const { id: rolloutId } = await play.start()
  await play.things.ask(id)
  await play.things.report(id, rolloutId, { type: 'update_confirmed', boot_id: after })
  const [row] = await api.db.select().from(rolloutDevices).where(eq(rolloutDevices.deviceId, id))
  expect(row).toMatchObject({ state: 'succeeded', offerBootId: before })
  expect(row?.evidence).toMatchObject({ by: 'agent', version: '2', matches: 'target', boot: 'new' })
  const { protocol, verifier } = (await api.call(deviceContract.device, { deviceId: id }, { as: ann })).body
  expect([protocol, verifier]).toEqual(['teasel', 'manifest'])
})
