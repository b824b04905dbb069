import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { sign } from '../contract/device/dsse'
import { createKeyListEnvelope, keyListBytes, type KeyListPayload, keyListPayloadType } from '../contract/device/key-list'
import type { SigningKey } from '../contract/device/private-key'
import { type AgentSetup, buildAgent, killAtRename, type Running, setUpAgent, start } from './testing/agent-process'
import { type DeviceServer, deviceServer } from './testing/device-server'
import { newKey, project, release } from './testing/releases'

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
  ;[first, second, third] = [await newKey(), await newKey(), await newKey()]
})
let first: SigningKey, second: SigningKey, third: SigningKey
beforeEach(async () => {
  server = await deviceServer()
})
afterEach(async () => {
  for (const one of running.splice(0)) await one.kill('SIGKILL')
  await server.close()
  expect(server.seen.problems).toEqual([])
})

type Wanted = { counter: number; by: SigningKey; keys: SigningKey[]; revoked?: SigningKey[]; projectId?: string }
const keyList = async ({ counter, by, keys, revoked = [], projectId = project }: Wanted) => {
  const content: KeyListPayload = {
    schema: 1,
    project_id: projectId,
    counter,
    keys: keys.map(({ publicKey }) => publicKey),
    revoked: revoked.map(({ publicKey }) => publicKey),
  }
  const payload = keyListBytes(content)
  return { counter, envelope: createKeyListEnvelope(payload, [await sign(by, keyListPayloadType, payload)]) }
}
const aDevice = (keys: SigningKey[]) =>
  setUpAgent(
    server,
    keys.map(({ publicKey }) => publicKey),
  )
const fingerprints = (...keys: SigningKey[]) => keys.map(({ publicKey }) => publicKey.fingerprint)
const listFile = ({ config }: AgentSetup) => join(config.persistent_directory, 'key-list.json')
const held = (device: AgentSetup) => (JSON.parse(readFileSync(listFile(device), 'utf8')) as KeyListPayload).counter
const reported = () => server.seen.checkIns.at(-1)
const program = (by: SigningKey, version: number) => release(by, { version, files: [{ bytes: `v${version}`, location: '/app' }] })
const refusals = () =>
  server.seen.events.filter(({ type }) => type === 'verification_failed').map(({ reason_code }) => reason_code)

it('a device takes a key list that one of its keys signed, and reports at once which keys it holds', async () => {
  server.plan.keyLists = [await keyList({ counter: 1, by: first, keys: [first, second] })]
  const device = aDevice([first])
  const { code, output } = await once(device)
  expect(code, output).toBe(0)
  expect(held(device)).toBe(1)
  expect(server.seen.checkIns.map(({ trusted_keys, key_list_counter }) => [trusted_keys, key_list_counter])).toEqual([
    [fingerprints(first), 0],
    [fingerprints(first, second), 1],
  ])
})

it('a device that was offline follows several rotations in one check-in, and installs what the newest key signed', async () => {
  server.plan.keyLists = [
    await keyList({ counter: 1, by: first, keys: [first, second] }),
    await keyList({ counter: 2, by: second, keys: [second], revoked: [first] }),
    await keyList({ counter: 3, by: second, keys: [second, third], revoked: [first] }),
    await keyList({ counter: 4, by: third, keys: [third], revoked: [first, second] }),
  ]
  server.plan.offer = await program(third, 2)
  const device = aDevice([first])
  const { code, output } = await once(device)
  expect(code, output).toBe(0)
  expect([held(device), reported()?.trusted_keys]).toEqual([4, fingerprints(third)])
  expect(device.file('app')).toBe('v2')
})

it('a device refuses a release that a revoked or dropped key signed, also one of its device.json', async () => {
  server.plan.keyLists = [await keyList({ counter: 1, by: second, keys: [second], revoked: [first] })]
  server.plan.offer = await program(first, 2)
  const device = aDevice([first, second, third])
  expect((await once(device)).code).toBe(3)
  server.plan.offer = await program(third, 3)
  expect((await once(device)).code).toBe(3)
  expect(refusals()).toEqual(['key_revoked', 'key_unknown'])
  expect(existsSync(join(device.root, 'app'))).toBe(false)
})

it.each([
  ['signed by a key that the device does not trust', () => keyList({ counter: 2, by: third, keys: [third] })],
  ['signed by a revoked key', () => keyList({ counter: 2, by: first, keys: [first] })],
  ['with an equal counter', () => keyList({ counter: 1, by: second, keys: [third] })],
  ['for another project', () => keyList({ counter: 2, by: second, keys: [third], projectId: '01JNV4E3S000000000000PR0J2' })],
  ['that is a manifest', async () => ({ counter: 2, envelope: (await program(second, 2)).envelope })],
])('a device refuses a key list %s, and keeps the one it has', async (_, make) => {
  server.plan.keyLists = [await keyList({ counter: 1, by: second, keys: [second], revoked: [first] })]
  const device = aDevice([first, second])
  expect((await once(device)).code).toBe(0)
  const { envelope } = await make()
  // Announced as new, so that the device asks for it.
  server.plan.keyLists = [{ counter: 9, envelope }]
  const { output } = await once(device)
  expect(output).toContain('Refused a key list')
  expect([held(device), reported()?.trusted_keys]).toEqual([1, fingerprints(second)])
})

it('a kill between write and rename leaves the former keys, and the next start takes the list', async () => {
  server.plan.keyLists = [await keyList({ counter: 1, by: first, keys: [second] })]
  const device = aDevice([first])
  await launch(device, killAtRename('key-list.json')).ended
  expect(existsSync(listFile(device))).toBe(false)
  expect(readdirSync(device.config.persistent_directory).filter((name) => name.startsWith('key-list.json.'))).toHaveLength(1)
  expect(reported()?.trusted_keys).toEqual(fingerprints(first))
  const { code, output } = await once(device)
  expect(code, output).toBe(0)
  expect([held(device), reported()?.trusted_keys]).toEqual([1, fingerprints(second)])
})

it('a key list that cannot be read stops the agent, so that a dropped key does not count again', async () => {
  const device = aDevice([first])
  expect((await once(device)).code).toBe(0)
  writeFileSync(listFile(device), '{"schema":1')
  const { code, output } = await once(device)
  expect(code).toBe(1)
  expect(output).toContain('key-list.json cannot be read; delete it to trust the public_keys of device.json again')
})

it('a device takes no key list while an installed release waits for its restart, and confirms that with the former keys', async () => {
  server.plan.offer = await release(first, { version: 2, reboot: 'after_install', files: [{ bytes: 'v2', location: '/app' }] })
  const device = setUpAgent(server, [first.publicKey], { stop_after: 'install' })
  const waiting = start(agent, ['--config', device.configPath])
  running.push(waiting)
  await server.until(() => server.types().includes('reboot_requested'))
  server.plan.keyLists = [await keyList({ counter: 1, by: first, keys: [second] })]
  const before = server.seen.checkIns.length
  await server.until(() => server.seen.checkIns.length > before + 2)
  await waiting.kill('SIGKILL')
  expect(existsSync(listFile(device))).toBe(false)
  const { output } = await once(device)
  expect(device.state().installed, output).toMatchObject({ version: 2, confirmed: true })
  expect(held(device)).toBe(1)
})
