import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Identity } from './state/identity'
import { type AgentSetup, buildAgent, killAtRename, type Running, setUpAgent, start } from './testing/agent-process'
import { type DeviceServer, deviceServer } from './testing/device-server'
import { newKey } from './testing/releases'

let agent: string, server: DeviceServer
const running: Running[] = []
const launch = ({ configPath }: AgentSetup, nodeOptions: readonly string[] = []) => {
  const one = start(agent, ['--config', configPath, '--once'], undefined, nodeOptions)
  running.push(one)
  return one
}
const once = async (device: AgentSetup) => {
  const { ended, output } = launch(device)
  return { code: await ended, output: output() }
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

const fileOf = ({ config }: AgentSetup) => join(config.persistent_directory, 'identity.json')
const identity = (device: AgentSetup) => JSON.parse(readFileSync(fileOf(device), 'utf8')) as Identity
const grownOld = (device: AgentSetup) => {
  const { rotated_at_ms: _, ...known } = identity(device)
  writeFileSync(fileOf(device), JSON.stringify({ ...known, enrolled_at_ms: Date.now() - 31 * 86_400_000 }))
}

/** A device whose enrollment token no longer works: without its device token it would be locked out. */
const oldDevice = async () => {
  const device = setUpAgent(server, [(await newKey()).publicKey])
  const { code, output } = await once(device)
  expect(code, output).toBe(0)
  server.plan.refuse = { path: /enroll/, status: 403, code: 'token_expired' }
  grownOld(device)
  return { device, former: identity(device).device_token }
}
const tokens = () => server.seen.tokens.splice(0)

it('a device replaces its token when it is 30 days old, and the former one once the new one was accepted', async () => {
  const { device, former } = await oldDevice()
  tokens()
  expect((await once(device)).code).toBe(0)
  const next = identity(device).next_token
  expect(next).toMatch(/^dvc_/)
  expect((await once(device)).code).toBe(0)
  expect((await once(device)).code).toBe(0)
  expect(tokens()).toEqual([former, next, next])
  expect(identity(device)).toMatchObject({ device_token: next })
  expect(identity(device).next_token).toBeUndefined()
})

it('a device keeps a young token', async () => {
  const device = setUpAgent(server, [(await newKey()).publicKey])
  await once(device)
  await once(device)
  expect(identity(device).next_token).toBeUndefined()
})

it('a device does not replace a token of its device.json, which must work again after its state was lost', async () => {
  const { device, former } = await oldDevice()
  const { enrollment_token: _, ...rest } = device.config
  const { device_id } = identity(device)
  const given = setUpAgent(server, rest.public_keys)
  const { enrollment_token: __, ...config } = given.config
  writeFileSync(given.configPath, JSON.stringify({ ...config, device_id, device_token: former }))
  tokens()
  expect((await once(given)).code).toBe(0)
  expect((await once(given)).code).toBe(0)
  expect(tokens()).toEqual([former, former])
})

it('a kill before the answer arrives leaves the former token, and the device asks again', async () => {
  const { device, former } = await oldDevice()
  const killed = launch(device)
  server.plan.beforeToken = () => void killed.child.kill('SIGKILL')
  await killed.ended
  expect(identity(device).device_token).toBe(former)
  server.plan.beforeToken = () => {}
  tokens()
  expect((await once(device)).code).toBe(0)
  expect((await once(device)).code).toBe(0)
  expect(tokens()).toEqual([former, identity(device).device_token])
})

it('a kill between write and rename of the new token leaves the former one, and the device asks again', async () => {
  const { device, former } = await oldDevice()
  await launch(device, killAtRename('identity.json')).ended
  expect(identity(device)).toMatchObject({ device_token: former })
  expect(identity(device).next_token).toBeUndefined()
  tokens()
  expect((await once(device)).code).toBe(0)
  expect((await once(device)).code).toBe(0)
  expect(tokens()).toEqual([former, identity(device).device_token])
})

it('a kill after the first use of the new token, before that is stored, leaves both, and the new one is used again', async () => {
  const { device, former } = await oldDevice()
  expect((await once(device)).code).toBe(0)
  const next = identity(device).next_token
  tokens()
  await launch(device, killAtRename('identity.json')).ended
  expect(identity(device)).toMatchObject({ device_token: former, next_token: next })
  expect((await once(device)).code).toBe(0)
  expect(tokens()).toEqual([next, next])
  expect(identity(device).device_token).toBe(next)
})

it('a device whose new token the server does not know returns to the former one', async () => {
  const { device, former } = await oldDevice()
  expect((await once(device)).code).toBe(0)
  const lost = identity(device).next_token ?? ''
  server.devices.delete(lost)
  tokens()
  const { code, output } = await once(device)
  expect(code, output).toBe(0)
  expect(tokens()).toEqual([former])
  expect(identity(device).next_token).not.toBe(lost)
  expect((await once(device)).code).toBe(0)
  expect(identity(device).device_token).not.toBe(former)
})

it('a refused rotation delays no update, and is not requested at each poll', async () => {
  const { device, former } = await oldDevice()
  server.plan.refuse = { path: /token/, status: 403, code: 'token_expiring' }
  expect((await once(device)).code).toBe(0)
  expect((await once(device)).code).toBe(0)
  expect(server.seen.refusedAt).toHaveLength(1)
  expect(identity(device).device_token).toBe(former)
})

it('a device believes only its server that its token is not known: not the page of a network', async () => {
  const { device, former } = await oldDevice()
  expect((await once(device)).code).toBe(0)
  const next = identity(device).next_token
  server.plan.refuse = { path: /check_in/, status: 401, code: 'page' }
  const { code, output } = await once(device)
  expect([code, output.includes('enrolling again')]).toEqual([1, false])
  expect(identity(device)).toMatchObject({ device_token: former, next_token: next })
  server.plan.refuse = null
  expect((await once(device)).code).toBe(0)
  expect(identity(device)).toMatchObject({ device_token: next })
})
