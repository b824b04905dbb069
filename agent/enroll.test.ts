import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { runAgent } from './agent'
import { type AgentSetup, buildAgent, type Running, setUpAgent, start, startClockAt } from './testing/agent-process'
import { type DeviceServer, deviceServer } from './testing/device-server'
import { newKey } from './testing/releases'

let agent: string, server: DeviceServer
const running: Running[] = []
const launch = ({ configPath }: AgentSetup, more: string[], nodeOptions: readonly string[] = []) => {
  const one = start(agent, ['--config', configPath, ...more], undefined, nodeOptions)
  running.push(one)
  return one
}

beforeAll(async () => {
  agent = await buildAgent()
})
beforeEach(async () => {
  server = await deviceServer()
})
afterEach(async () => {
  for (const one of running.splice(0)) await one.kill('SIGKILL')
  await server.close()
  expect(server.seen.problems).toEqual([])
})

/** A device that has enrolled, and whose token the server no longer knows. */
const deviceWithoutToken = async (nodeOptions?: readonly string[]) => {
  const device = setUpAgent(server, [(await newKey()).publicKey])
  const { ended, output } = launch(device, ['--once'], nodeOptions)
  expect(await ended, output()).toBe(0)
  const [known] = server.devices.values()
  server.devices.clear()
  if (known) server.devices.set('lost', known)
  return device
}
const loseIdentity = ({ config }: AgentSetup) => rmSync(join(config.persistent_directory, 'identity.json'))
const start2090 = startClockAt(Date.UTC(2090, 0, 1))
const start1970 = startClockAt(0)

it('a device whose clock was reset to 1970 enrolls again when its token is lost', async () => {
  const device = await deviceWithoutToken()
  launch(device, [], start1970)
  await server.until(() => server.seen.enrollments.length === 2)
})

it('a device that has also lost its identity takes the time of the refusal', async () => {
  const device = await deviceWithoutToken()
  loseIdentity(device)
  // The date has seconds, and may be that of the first enrollment.
  server.plan.date = new Date(Date.now() + 60_000)
  const { ended, output } = launch(device, ['--once'], start1970)
  expect(await ended, output()).toBe(0)
  expect(server.seen.enrollments).toHaveLength(2)
})

it('a device whose clock was far ahead at its enrollment enrolls again after the clock was set', async () => {
  const device = await deviceWithoutToken(start2090)
  launch(device, [])
  await server.until(() => server.seen.enrollments.length === 2)
})

it('a device whose serial number another device has asks once, and not again with another time', async () => {
  const device = await deviceWithoutToken()
  loseIdentity(device)
  rmSync(join(device.config.persistent_directory, 'device-key.pem'))
  const { ended, output } = launch(device, ['--once'])
  expect(await ended).toBe(1)
  expect(output()).toContain('serial_exists')
  expect(server.seen.enrollments).toHaveLength(1)
})

it('an identity that cannot be read is moved aside, and the device enrolls again as the same one', async () => {
  const device = setUpAgent(server, [(await newKey()).publicKey], { single_check: true, logs_enabled: false })
  const once = () => runAgent(device.config, device.config, new AbortController().signal)
  const path = join(device.config.persistent_directory, 'identity.json')
  const idOf = () => (JSON.parse(readFileSync(path, 'utf8')) as { device_id: string }).device_id
  await once()
  const id = idOf()
  for (const damaged of ['', '{"device_id":"', '{}']) {
    writeFileSync(path, damaged)
    expect(await once()).toEqual({ exit: 0 })
    expect([idOf(), readFileSync(`${path}.unreadable`, 'utf8')]).toEqual([id, damaged])
  }
})
