import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SigningKey } from '../contract/device/private-key'
import { type AgentSetup, bootAs, buildAgent, setUpAgent, type Running, start } from './testing/agent-process'
import { type DeviceServer, deviceServer } from './testing/device-server'
import { newKey, type Plan, release } from './testing/releases'

let agent: string, key: SigningKey, server: DeviceServer
const running: Running[] = []

beforeAll(async () => {
  agent = await buildAgent()
  key = await newKey()
})
beforeEach(async () => {
  server = await deviceServer()
})
afterEach(async () => {
  for (const one of running.splice(0)) await one.kill('SIGKILL')
  await server.close()
  expect(server.seen.problems).toEqual([])
})

/** One start of the agent in a boot of the device. */
const launch = ({ configPath }: AgentSetup, bootId: string) => {
  const one = start(agent, ['--config', configPath, '--once'], '0-604800', bootAs(bootId))
  running.push(one)
  return one.ended
}
const image = (version: number, more: Partial<Plan> = {}): Plan => ({
  version,
  type: 'rootfs',
  reboot: 'if_needed',
  files: [{ kind: 'rootfs', bytes: `image ${version}` }],
  ...more,
})
const aDevice = (reboot_command: string) => setUpAgent(server, [key.publicKey], { update_mode: 'ab_rootfs', reboot_command })
const bootRecord = (device: AgentSetup): unknown => JSON.parse(device.file('boot.json'))
const count = (type: string) => server.types().filter((one) => one === type).length

it('a release on trial is not confirmed by a new start of the agent alone, only after a restart of the device', async () => {
  server.plan.offer = await release(key, image(2))
  const device = aDevice('exit 1')
  const [before, after] = [randomUUID(), randomUUID()]
  for (let starts = 0; starts < 2; starts++) {
    expect(await launch(device, before)).toBe(1)
    expect(bootRecord(device)).toEqual({ active: 'a', pending: 'b', attempts_left: 3 })
  }
  expect([count('reboot_requested'), count('booted')]).toEqual([2, 0])
  expect(await launch(device, after)).toBe(0)
  expect(bootRecord(device)).toEqual({ active: 'b', pending: null, attempts_left: 0 })
  expect(count('update_confirmed')).toBe(1)
})

it('a release that waits for a restart by someone else is not confirmed by a new start of the agent', async () => {
  server.plan.offer = await release(key, image(2, { reboot: 'never' }))
  const device = aDevice('exit 1')
  const [before, after] = [randomUUID(), randomUUID()]
  for (let starts = 0; starts < 5; starts++) expect(await launch(device, before)).toBe(0)
  expect(bootRecord(device)).toEqual({ active: 'a', pending: 'b', attempts_left: 3 })
  expect(server.seen.checkIns.length).toBeGreaterThanOrEqual(5)
  expect(await launch(device, after)).toBe(0)
  expect(bootRecord(device)).toMatchObject({ active: 'b', pending: null })
})

it('a release is rolled back when the device does not restart for it', async () => {
  server.plan.offer = await release(key, image(2))
  const device = aDevice('exit 1')
  const boot = randomUUID()
  for (let starts = 0; starts < 3; starts++) expect(await launch(device, boot)).toBe(1)
  server.plan.offer = null
  await launch(device, boot)
  expect(bootRecord(device)).toEqual({ active: 'a', pending: null, attempts_left: 0 })
  expect(server.seen.events.find(({ type }) => type === 'update_failed')).toMatchObject({ reason_code: 'boot_failed' })
  expect(device.state()).toMatchObject({ attempt: null, installed: null })
})

it('after a rollback the slot of the failed release is not written before the device has left it', async () => {
  server.plan.offer = await release(key, image(2, { hooks: { post_reboot: 'exit 1' } }))
  const device = aDevice('exit 1')
  const [first, trial, back] = [randomUUID(), randomUUID(), randomUUID()]
  await launch(device, first)
  // The trial fails in slot b, and so does the restart into slot a.
  expect(await launch(device, trial)).toBe(1)
  expect(bootRecord(device)).toEqual({ active: 'a', pending: null, attempts_left: 0 })
  server.plan.offer = await release(key, image(3))
  for (let starts = 0; starts < 2; starts++) expect(await launch(device, trial)).toBe(1)
  expect(readFileSync(join(device.root, 'slots/b/rootfs.img'), 'utf8')).toBe('image 2')
  expect(count('update_accepted')).toBe(1)
  await launch(device, back)
  expect(readFileSync(join(device.root, 'slots/b/rootfs.img'), 'utf8')).toBe('image 3')
})

it('a trial of which the state was lost is given up, before its slot can be written while it runs', async () => {
  server.plan.offer = await release(key, image(2))
  const device = aDevice('exit 1')
  const [first, trial, back] = [randomUUID(), randomUUID(), randomUUID()]
  await launch(device, first)
  expect(bootRecord(device)).toMatchObject({ active: 'a', pending: 'b' })
  rmSync(join(device.config.persistent_directory, 'state.json'))
  server.plan.offer = await release(key, image(3))
  for (let starts = 0; starts < 2; starts++) {
    expect(await launch(device, trial)).toBe(1)
    expect(bootRecord(device)).toEqual({ active: 'a', pending: null, attempts_left: 0 })
    expect(readFileSync(join(device.root, 'slots/b/rootfs.img'), 'utf8')).toBe('image 2')
  }
  await launch(device, back)
  expect(readFileSync(join(device.root, 'slots/b/rootfs.img'), 'utf8')).toBe('image 3')
})

describe('a device whose files are replaced, for a release that needs a restart', () => {
  const files = [{ bytes: 'new', location: '/app' }]
  const prepare = async (hooks: Plan['hooks']) => {
    server.plan.offer = await release(key, { version: 2, reboot: 'after_install', files, hooks })
    const device = setUpAgent(server, [key.publicKey])
    const reboots = join(device.folder, 'reboots')
    const reboot_command = `echo restart >> ${reboots}; exit 1`
    writeFileSync(device.configPath, JSON.stringify({ ...device.config, reboot_command }))
    mkdirSync(device.root)
    writeFileSync(join(device.root, 'app'), 'old')
    const requests = () => (existsSync(reboots) ? readFileSync(reboots, 'utf8').split('\n').length - 1 : 0)
    return { device, requests }
  }

  it('restarts once more after a rollback, because the failed release still runs', async () => {
    const { device, requests } = await prepare({ post_reboot: 'exit 1' })
    await launch(device, randomUUID())
    expect(requests()).toBe(1)
    const trial = randomUUID()
    server.plan.offer = null
    for (let starts = 0; starts < 2; starts++) {
      expect(await launch(device, trial)).toBe(1)
      expect([requests(), device.file('app'), count('rollback_completed')]).toEqual([2 + starts, 'old', 1])
    }
    expect(await launch(device, randomUUID())).toBe(0)
    expect(requests()).toBe(3)
  })

  it('does not restart when the rollback comes before it', async () => {
    const { device, requests } = await prepare({ post_install: 'exit 1' })
    expect(await launch(device, randomUUID())).toBe(1)
    expect([requests(), device.file('app'), count('rollback_completed')]).toEqual([0, 'old', 1])
  })
})
