import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { project } from '../../contract/accounts/projects'
import { notifications } from '../../contract/accounts/notifications'
import { device, devices, updateDevice } from '../../contract/fleet/devices'
import { overview } from '../../contract/overview/monitor'
import { updateDecision } from '../../contract/updates/device-updates'
import { release, revokeRelease } from '../../contract/updates/releases'
import { rollout, rolloutDevices, rolloutTimeline } from '../../contract/updates/rollouts'
import { createNotifications } from '../../server/accounts/notifications/create'
import { sendNotificationMails } from '../../server/accounts/notifications/send'
import { openMailer } from '../../server/core/mail/mailer'
import { countDevicesOfPlan } from '../../server/fleet/devices/repository'
import { findAskers } from '../../server/updates/rollouts/offer/askers.repository'
import { type AgentMode, gate, startAgentHost } from '../support/agent-host'
import { isFull } from '../support/counts'
import { within } from '../support/machine-load'
import { startSmtpServer } from '../support/smtp-server'

let host: Awaited<ReturnType<typeof startAgentHost>>
let smtp: Awaited<ReturnType<typeof startSmtpServer>>

beforeAll(async () => {
  ;[host, smtp] = await Promise.all([startAgentHost(), startSmtpServer()])
})
afterAll(async () => {
  await host.close()
  await smtp.stop()
})

const minuteS = 60
const hourS = 3600
// The API leaves fractions of a second away.
const seconds = (time: string | null | undefined) => Math.floor(new Date(time ?? '').getTime() / 1000)

/** A scene, and what the API says about its first device and about a rollout. */
const watchedScene = async (mode: AgentMode) => {
  const { api } = host
  const play = await host.scene(mode)
  const { projectId } = play
  // A session ends while a test moves the clock.
  const as = async () => ({ ...play.ann, ...(await api.session(play.ann.id)) })
  const found = await api.call(devices, { projectId }, { as: await as(), query: { sort: 'name' } })
  const [deviceId = '', otherId = ''] = found.body.devices.map(({ id }) => id)
  const readDevice = async (id = deviceId) => (await api.call(device, { deviceId: id }, { as: await as() })).body
  const setInterval = async (polling_interval_s: number) => {
    const { revision } = await readDevice()
    const options = { as: await as(), headers: { 'if-match': `"${revision}"` }, body: { polling_interval_s } }
    expect((await api.call(updateDevice, { deviceId }, options)).status).toBe(200)
  }
  const readRollout = async (rolloutId: string) => (await api.call(rollout, { rolloutId }, { as: await as() })).body
  const readRow = async (rolloutId: string) => {
    const { body } = await api.call(rolloutDevices, { rolloutId }, { as: await as() })
    return body.devices.find(({ device_id: id }) => id === deviceId)
  }
  const decide = async () => {
    const { body } = await api.call(updateDecision, { deviceId }, { as: await as() })
    const failed = body.checks.find(({ result }) => result === 'fail')
    return {
      outcome: body.outcome,
      next: seconds(body.next_check_at),
      text: failed?.text,
      until: failed && seconds(failed.until),
    }
  }
  /** What the head of the rollout, the row of the first device and the device itself say of the wait. */
  const waits = async (rolloutId: string) => {
    const { next_wait: head } = await readRollout(rolloutId)
    const row = await readRow(rolloutId)
    expect([head?.reason, head?.until]).toEqual([row?.reason, row?.waits_until])
    return { reason: row?.reason, until: seconds(row?.waits_until), state: row?.state }
  }
  return { ...play, as, deviceId, otherId, readDevice, readRollout, readRow, setInterval, decide, waits }
}

describe('a device that waits', () => {
  it('for its check-in in 55 minutes has that time in the rollout, its list, its head and on its page, and the agent installs then', async () => {
    const { api } = host
    const play = await watchedScene('file')
    const { first, second, deviceId } = play
    await play.setInterval(hourS)
    expect(await play.run(first)).toMatchObject({ code: 0 })
    api.advance(5 * minuteS)
    const rolloutId = await play.rollOut((await play.maker.signed(play.wanted(2))).id)
    const due = seconds(api.deps.clock().toISOString()) + 55 * minuteS
    expect(await play.waits(rolloutId)).toEqual({ reason: 'Gets it at its next check-in', until: due, state: 'queued' })
    expect(seconds((await play.readDevice()).next_check_in_at)).toBe(due)
    expect(await play.decide()).toMatchObject({ outcome: 'offer', next: due })

    api.advance(55 * minuteS)
    expect(await play.run(first)).toMatchObject({ code: 0 })
    expect(play.runs(first)).toEqual(['version 2', 2, true])
    expect(await play.readRow(rolloutId)).toMatchObject({ state: 'succeeded', reason: null, waits_until: null })
    expect((await play.readRollout(rolloutId)).next_wait).toMatchObject({ device_name: 'second' })
    expect(await play.decide()).toMatchObject({ outcome: 'none', text: 'The device runs this release, 2.2.0' })
    expect(await play.run(second)).toMatchObject({ code: 0 })
    expect(await play.readRollout(rolloutId)).toMatchObject({ next_wait: null, counts: { succeeded: 2, waiting: 0 } })
    expect((await play.readDevice(deviceId)).update?.state).toBe('succeeded')
  })

  it('for a window that opens in 20 hours has that time at the same places, and the agent gets nothing before it', async () => {
    const { api } = host
    const play = await watchedScene('file')
    const now = api.deps.clock()
    // The window opens at a whole minute.
    const opens = new Date(Math.ceil(now.getTime() / 60_000) * 60_000 + 20 * hourS * 1000)
    const window = {
      days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const,
      from: opens.toISOString().slice(11, 16),
      to: new Date(opens.getTime() + 2 * hourS * 1000).toISOString().slice(11, 16),
      zone: 'UTC',
    }
    const { id: releaseId } = await play.maker.signed(play.wanted(2))
    const rolloutId = await play.rollOut(releaseId, gate, { window: { ...window, days: [...window.days] } })
    const closed = { reason: 'The maintenance window is closed', until: opens.getTime() / 1000, state: 'queued' }
    expect(await play.waits(rolloutId)).toEqual(closed)
    expect(await play.decide()).toMatchObject({ outcome: 'wait', text: closed.reason, until: closed.until })
    api.advance((opens.getTime() - api.deps.clock().getTime()) / 1000 - minuteS)
    expect(await play.run(play.first)).toMatchObject({ code: 0 })
    expect(play.runs(play.first)).toEqual(['version 1', 1, true])
    expect(await play.waits(rolloutId)).toEqual(closed)
    api.advance((opens.getTime() - api.deps.clock().getTime()) / 1000)
    expect(await play.run(play.first)).toMatchObject({ code: 0 })
    expect(play.runs(play.first)).toEqual(['version 2', 2, true])
  })

  // It waits for 30 s of real time: the least interval that a project can choose.
  it.runIf(isFull)('for its check-in gets the release as many seconds after the last one as the pages say', async () => {
    const { api } = host
    const play = await watchedScene('file')
    const { first } = play
    await play.setInterval(30)
    api.advance(minuteS)
    const running = play.keepRunning(first)
    const begun = performance.now()
    const now = seconds(api.deps.clock().toISOString())
    await vi.waitFor(async () => expect(seconds((await play.readDevice()).last_seen_at)).toBe(now), { timeout: within(20_000) })
    const seen = performance.now()
    const rolloutId = await play.rollOut((await play.maker.signed(play.wanted(2))).id)
    expect((await play.waits(rolloutId)).until).toBe(now + 30)
    const hasInstalled = async () => expect((await play.readRow(rolloutId))?.state).toBe('succeeded')
    await vi.waitFor(hasInstalled, { timeout: within(60_000), interval: 100 })
    const tookS = (performance.now() - seen) / 1000
    // The agent spreads its polls by 5 %, and the start of its process belongs to the first one.
    expect(tookS).toBeGreaterThan(28.5 - (seen - begun) / 1000)
    expect(tookS).toBeLessThan(31.5 + within(3000) / 1000)
    expect(play.runs(first)).toEqual(['version 2', 2, true])
    await running.kill('SIGTERM')
  })
})

it('a rollout that is halted and rolled back says what became of an agent, as its disk does, and how it ended by mail and at the bell', async () => {
  const { api, tick } = host
  const play = await watchedScene('file')
  const { first, second, readRow, readRollout } = play
  const rolloutId = await play.rollOut((await play.maker.signed(play.wanted(2))).id)
  for (const one of [first, second]) expect(await play.run(one)).toMatchObject({ code: 0 })
  await play.rollBack(rolloutId)
  await tick()
  expect(await readRow(rolloutId)).toMatchObject({ state: 'succeeded', returned: null })
  expect(await readRollout(rolloutId)).toMatchObject({ ways_back: [{ version: 1, display_version: '2.1.0', returned: 0 }] })

  api.advance(minuteS)
  expect(await play.run(first)).toMatchObject({ code: 0 })
  expect(play.runs(first)).toEqual(['version 1', 1, true])
  const since = api.deps.clock()
  api.advance(hourS)
  const [way] = (await readRollout(rolloutId)).ways_back
  const backId = way?.rollout_id ?? ''
  expect(way?.returned).toBe(1)
  const row = await readRow(rolloutId)
  expect(row).toMatchObject({ state: 'succeeded', returned: { rollout_id: backId, version: 1, display_version: '2.1.0' } })
  expect(seconds(row?.returned?.at)).toBe(seconds(since.toISOString()))
  expect((await readRollout(backId)).rolls_back_id).toBe(rolloutId)
  // The other agent still has the release on its disk, and nothing says that it is back.
  expect(play.runs(second)).toEqual(['version 2', 2, true])
  expect((await readRollout(rolloutId)).state).toBe('rolling_back')

  expect(await play.run(second)).toMatchObject({ code: 0 })
  expect(play.runs(second)).toEqual(['version 1', 1, true])
  for (let round = 0; round < 2; round++) await tick()
  const text = 'All 2 devices have returned'
  expect(await readRollout(rolloutId)).toMatchObject({ state: 'rolled_back', state_reason: text, ways_back: [{ returned: 2 }] })

  const deps = {
    ...api.deps,
    config: { ...api.config, smtpUrl: smtp.url },
    mail: openMailer({ ...api.config, smtpUrl: smtp.url }),
  }
  await createNotifications(deps, { findAskers, countDevices: countDevicesOfPlan })
  await sendNotificationMails(deps)
  const { name } = await readRollout(rolloutId)
  const bell = (await api.call(notifications, {}, { as: await play.as() })).body.notifications
  expect(bell.map((one) => [one.kind, one.title, one.text])).toContainEqual([
    'rollout.rolled_back',
    `Rollback ended: ${name}`,
    text,
  ])
  const mails = smtp.to(play.ann.email)
  expect(
    mails.some((mail) => String(mail.text).includes(text) && String(mail.text).includes(`/releases/rollouts/${rolloutId}`)),
  ).toBe(true)
  const { body } = await api.call(rolloutTimeline, { rolloutId }, { as: await play.as() })
  expect(body.entries.map((entry) => entry.text)).toContain(text)
})

/** `npm test` plays the slots: files of a release in file mode are those of `agent/way-back.test.ts`. */
describe.each<AgentMode>(isFull ? ['file', 'ab_rootfs'] : ['ab_rootfs'])('in %s mode', (mode) => {
  it('an agent that runs a revoked release is named everywhere until it has returned, with the former files on its disk', async () => {
    const { api, tick } = host
    const play = await watchedScene(mode)
    const { deviceId, otherId, first, projectId } = play
    const { id: releaseId } = await play.maker.signed({ ...play.wanted(2), addedFile: '/models/large.bin' })
    const added = (active: string) => join(first.root, mode === 'file' ? '' : `slots/${active}`, 'models/large.bin')
    const hasAdded = () =>
      existsSync(added(mode === 'file' ? '' : (JSON.parse(first.file('boot.json')) as { active: string }).active))
    const rolloutId = await play.rollOut(releaseId)
    expect(await play.run(first)).toMatchObject({ code: 0 })
    expect([play.runs(first), hasAdded()]).toEqual([['version 2', 2, true], true])

    const everywhere = async () => {
      const as = await play.as()
      const listed = await api.call(devices, { projectId }, { as, query: { attention: 'revoked' } })
      const { attention, counts } = (await api.call(overview, { projectId }, { as })).body
      return {
        device: (await play.readDevice()).installed_revoked,
        list: listed.body.devices.map(({ id }) => id),
        monitor: attention.filter(({ kind }) => kind === 'revoked').map((one) => [one.device_id, one.release_id, one.action]),
        count: counts.attention,
        card: (await api.call(project, { projectId }, { as })).body.counts.devices_attention,
        release: (await api.call(release, { releaseId }, { as })).body.active_devices,
      }
    }
    const nowhere = { device: null, list: [], monitor: [], count: 0, card: 0 }
    expect(await everywhere()).toEqual({ ...nowhere, release: 1 })
    const body = { reason: 'It leaks a key' }
    expect((await api.call(revokeRelease, { releaseId }, { as: await play.as(), body })).status).toBe(200)
    const named = {
      device: { reason: 'It leaks a key' },
      list: [deviceId],
      monitor: [[deviceId, releaseId, 'open_release']],
      count: 1,
      card: 1,
      release: 1,
    }
    expect(await everywhere()).toEqual(named)
    // A check-in alone changes nothing.
    expect(await play.run(first)).toMatchObject({ code: 0 })
    expect(await everywhere()).toEqual(named)

    await tick()
    await play.rollBack(rolloutId)
    await tick()
    expect(await play.run(first)).toMatchObject({ code: 0 })
    expect([play.runs(first), hasAdded()]).toEqual([['version 1', 1, true], false])
    expect((await play.readDevice()).installed).toMatchObject({ version: 1, display_version: '2.1.0', confirmed: true })
    expect(await everywhere()).toEqual({ ...nowhere, release: 0 })
    expect((await play.readDevice(otherId)).installed).toMatchObject({ version: 1 })
  })
})
