import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { update } from '../../contract/device/endpoints'
import { devices } from '../../server/fleet/schema/devices'
import { type AgentMode, gate, startAgentHost } from '../support/agent-host'
import type { TestApi } from '../support/api'
import { isFull } from '../support/counts'

let host: Awaited<ReturnType<typeof startAgentHost>>
let api: TestApi

beforeAll(async () => {
  host = await startAgentHost()
  api = host.api
})
afterAll(() => host.close())

const tick = () => host.tick()
const scene = (mode: AgentMode) => host.scene(mode)

/** `npm test` plays the file mode in the tests of single agents below. */
const modes: readonly AgentMode[] = isFull ? ['file', 'ab_rootfs'] : ['ab_rootfs']

describe.each(modes)('real agents in %s mode', (mode) => {
  it('return to release 1 when release 2 is rolled back: one agent that runs it, and one that finishes it later', async () => {
    const { maker, first, second, run, runs, stopAfter, wanted, rollOut, shown, rollBack } = await scene(mode)
    const bad = await maker.signed(wanted(2))
    expect(bad.may_return_to).toEqual([1])
    const rolloutId = await rollOut(bad.id)
    expect(await run(first)).toMatchObject({ code: 0 })
    expect(runs(first)).toEqual(['version 2', 2, true])
    // The second device has written it and waits for its restart.
    stopAfter(second, 'install')
    await run(second)
    expect(second.state().attempt).toMatchObject({ version: 2, phase: 'rebooting' })

    const seen = await rollBack(rolloutId)
    expect(seen).toMatchObject({ returns: [{ version: 1, count: 2 }], stays: [], under_way: { returning: 1, staying: 0 } })
    await tick()
    expect((await shown(rolloutId))[0]).toBe('rolling_back')
    const { code, output } = await run(first)
    expect(code, output).toBe(0)
    expect(runs(first)).toEqual(['version 1', 1, true])
    await tick()
    await tick()
    expect((await shown(rolloutId))[0]).toBe('rolling_back')

    stopAfter(second, 'none')
    await run(second)
    expect(runs(second)).toEqual(['version 2', 2, true])
    await tick()
    expect((await shown(rolloutId))[0]).toBe('rolling_back')
    expect(await run(second)).toMatchObject({ code: 0 })
    expect(runs(second)).toEqual(['version 1', 1, true])
    await tick()
    await tick()
    expect(await shown(rolloutId)).toEqual(['rolled_back', false, 'All 2 devices have returned'])
    expect([runs(first), runs(second)]).toEqual([
      ['version 1', 1, true],
      ['version 1', 1, true],
    ])
  })

  it('return to release 1 also when the rollback has ended before an agent, whose update had timed out, finishes release 2', async () => {
    const { maker, first, second, run, runs, stopAfter, wanted, rollOut, shown, rollBack } = await scene(mode)
    const bad = await maker.signed(wanted(2))
    const rolloutId = await rollOut(bad.id)
    expect(await run(first)).toMatchObject({ code: 0 })
    stopAfter(second, 'install')
    await run(second)
    expect(second.state().attempt).toMatchObject({ version: 2, phase: 'rebooting' })
    await rollBack(rolloutId)
    expect(await run(first)).toMatchObject({ code: 0 })
    // Longer than a restart may take: the second agent is given up.
    api.advance(1000)
    for (let round = 0; round < 3; round++) await tick()
    expect(await shown(rolloutId)).toEqual(['rolled_back', false, 'The device has returned'])

    stopAfter(second, 'none')
    await run(second)
    expect(runs(second)).toEqual(['version 2', 2, true])
    await tick()
    expect(await run(second)).toMatchObject({ code: 0 })
    expect(runs(second)).toEqual(['version 1', 1, true])
    for (let round = 0; round < 2; round++) await tick()
    expect(await shown(rolloutId)).toEqual(['rolled_back', false, 'All 2 devices have returned'])
  })

  it('return to release 1 when the rollout of release 2 is rolled back after it was completed', async () => {
    const { maker, first, second, run, runs, wanted, rollOut, shown, rollBack } = await scene(mode)
    const bad = await maker.signed(wanted(2))
    const rolloutId = await rollOut(bad.id)
    for (const device of [first, second]) {
      expect(await run(device)).toMatchObject({ code: 0 })
      expect(runs(device)).toEqual(['version 2', 2, true])
    }
    await tick()
    api.advance(gate.soak_s)
    await tick()
    expect((await shown(rolloutId))[0]).toBe('completed')
    expect(await rollBack(rolloutId)).toMatchObject({ returns: [{ version: 1, count: 2 }], stays: [] })
    for (const device of [first, second]) {
      expect(await run(device)).toMatchObject({ code: 0 })
      expect(runs(device)).toEqual(['version 1', 1, true])
    }
    for (let round = 0; round < 2; round++) await tick()
    expect(await shown(rolloutId)).toEqual(['rolled_back', false, 'All 2 devices have returned'])
  })

  it('keep release 2 when it was signed before the list existed, and the server gives the reason', async () => {
    const { maker, first, run, runs, wanted, rollOut, shown, rollBack } = await scene(mode)
    const bad = await maker.signedWithoutList(wanted(2))
    const rolloutId = await rollOut(bad.id)
    expect(await run(first)).toMatchObject({ code: 0 })
    const why = '2.2.0 was signed before releases listed what they may return to'
    expect(await rollBack(rolloutId)).toMatchObject({ returns: [], stays: [{ reason: 'signed_before', text: why, count: 1 }] })
    await tick()
    expect(await run(first)).toMatchObject({ code: 0 })
    await tick()
    expect(await shown(rolloutId)).toEqual(['rolled_back', true, `0 of 1 returned; 1 keeps 2.2.0: first (${why})`])
    expect(runs(first)).toEqual(['version 2', 2, true])
  })
})

/** Of two agents the second is given up while it waits for the restart that starts release 2. */
const givenUp = async () => {
  const play = await scene('file')
  const bad = await play.maker.signed(play.wanted(2))
  const rolloutId = await play.rollOut(bad.id)
  expect(await play.run(play.first)).toMatchObject({ code: 0 })
  play.stopAfter(play.second, 'install')
  await play.run(play.second)
  api.advance(1000)
  await tick()
  expect((await play.counts(rolloutId)).failed).toBe(1)
  return { ...play, rolloutId }
}

it('a real agent that is given up and then confirms release 2 is counted as updated', async () => {
  const { rolloutId, second, run, runs, stopAfter, counts } = await givenUp()
  stopAfter(second, 'none')
  expect(await run(second)).toMatchObject({ code: 0 })
  expect(runs(second)).toEqual(['version 2', 2, true])
  expect(await counts(rolloutId)).toMatchObject({ succeeded: 2, failed: 0 })
})

it('a real agent that is given up, queued again and rolled back returns to release 1 when it finishes the first try', async () => {
  const { rolloutId, first, second, run, runs, stopAfter, rollBack, retry, shown } = await givenUp()
  await retry(rolloutId)
  await rollBack(rolloutId)
  expect(await run(first)).toMatchObject({ code: 0 })
  for (let round = 0; round < 3; round++) await tick()
  expect(await shown(rolloutId)).toEqual(['rolled_back', false, 'The device has returned'])
  stopAfter(second, 'none')
  await run(second)
  expect(runs(second)).toEqual(['version 2', 2, true])
  await tick()
  expect(await run(second)).toMatchObject({ code: 0 })
  expect(runs(second)).toEqual(['version 1', 1, true])
  for (let round = 0; round < 2; round++) await tick()
  expect(await shown(rolloutId)).toEqual(['rolled_back', false, 'All 2 devices have returned'])
})

it('a real agent returns to release 1 also after its offers were lost more often than a rollout has attempts', async () => {
  const { maker, first, second, run, runs, wanted, rollOut, shown, rollBack } = await scene('file')
  const bad = await maker.signed(wanted(2))
  const rolloutId = await rollOut(bad.id)
  for (const device of [first, second]) expect(await run(device)).toMatchObject({ code: 0 })
  await rollBack(rolloutId)
  expect(await run(first)).toMatchObject({ code: 0 })
  const { device_token: as } = JSON.parse(readFileSync(join(second.config.persistent_directory, 'identity.json'), 'utf8')) as {
    device_token: string
  }
  for (let lost = 0; lost < 5; lost++) {
    // The answer to the agent is lost on the way.
    const { headers, status } = await api.call(update, {}, { as })
    expect([status, headers['x-reason']]).toEqual([200, undefined])
    api.advance(7200)
    await tick()
    api.advance(4800)
    await shown(rolloutId)
  }
  expect(runs(second)).toEqual(['version 2', 2, true])
  expect(await run(second)).toMatchObject({ code: 0 })
  expect(runs(second)).toEqual(['version 1', 1, true])
  for (let round = 0; round < 3; round++) await tick()
  expect(await shown(rolloutId)).toEqual(['rolled_back', false, 'All 2 devices have returned'])
})

it('a real agent whose slots take images is left out of a release of files, and refuses it before the first byte without halting a wave', async () => {
  const { maker, first, second, run, runs, wanted, preview, rollOut, leftOut, shown, counts } = await scene('ab_rootfs')
  const strict = { ...gate, min_success_percent: 100, max_failure_percent: 0, soak_s: 0 }
  const { active } = JSON.parse(first.file('boot.json')) as { active: string }
  const inactive = join(first.root, 'slots', active === 'a' ? 'b' : 'a')
  rmSync(inactive, { recursive: true, force: true })
  writeFileSync(inactive, Buffer.alloc(4096))
  const { id: releaseId } = await maker.signed(wanted(2))
  expect(await preview(releaseId)).toMatchObject({ total: 2, excluded: [] })
  // It reports what its slots take now.
  await run(first)
  expect(await preview(releaseId)).toMatchObject({
    total: 1,
    excluded: [{ reason: 'hardware_matches', count: 1, sample: [{ name: 'first' }] }],
  })
  // An agent that does not report it is not compared: it refuses by itself.
  await api.db
    .update(devices)
    .set({ attributes: sql`${devices.attributes} - 'installs'` })
    .where(eq(devices.name, 'first'))
  const rolloutId = await rollOut(releaseId, strict)
  const { code, output } = await run(first)
  expect(code, output).toBe(3)
  expect(existsSync(join(first.config.persistent_directory, 'staging'))).toBe(false)
  expect(runs(first)).toEqual(['version 1', 1, true])
  expect(await run(second)).toMatchObject({ code: 0 })
  for (let round = 0; round < 3; round++) await tick()
  expect(await counts(rolloutId)).toMatchObject({ succeeded: 1, failed: 0 })
  expect((await shown(rolloutId)).slice(0, 2)).toEqual(['completed', false])
  const why = 'Not for this device: The release is of type file, and this device writes whole images'
  expect(await leftOut(rolloutId)).toEqual([['first', 'cancelled', why]])
})
