import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SigningKey } from '../contract/device/private-key'
import { runAgent } from './agent'
import { type AgentSetup, setUpAgent } from './testing/agent-process'
import { type DeviceServer, deviceServer } from './testing/device-server'
import { newKey, release } from './testing/releases'

let key: SigningKey, server: DeviceServer
beforeEach(async () => {
  key = await newKey()
  server = await deviceServer()
})
afterEach(async () => {
  await server.close()
  expect(server.seen.problems).toEqual([])
})

const aDevice = () => setUpAgent(server, [key.publicKey], { single_check: true, logs_enabled: false, log_level: 'emerg' })
const once = ({ config }: AgentSetup) => runAgent(config, config, new AbortController().signal)
const statePath = ({ config }: AgentSetup) => join(config.persistent_directory, 'state.json')
const failing = (script: string) =>
  release(key, { version: 2, files: [{ bytes: 'new', location: '/app' }], hooks: { post_install: `${script}\nexit 1` } })
const messageOf = (type: string) => server.seen.events.find((event) => event.type === type)?.message

describe('the report of a hook that fails', () => {
  it.each([
    ['colours', String.raw`printf '\033[1;31mno room\033[0m\n'`, 'no room'],
    ['other control characters', String.raw`printf 'no\000 \007room\n'`, 'no\ufffd \ufffdroom'],
    ['a character that the limit cuts', String.raw`printf '\360\237\230\200%.0s' $(seq 600)`, '\u{1f600}\ufffd'],
  ])('is accepted by the server and by the next start, with %s in the output', async (_, script, words) => {
    server.plan.offer = await failing(script)
    server.plan.refuse = { path: /update_events/, status: 503, code: 'unavailable' }
    const device = aDevice()
    expect(await once(device)).toEqual({ exit: 1 })
    Object.assign(server.plan, { offer: null, refuse: null })
    expect(await once(device)).toEqual({ exit: 0 })
    for (const type of ['post_install_failed', 'rollback_completed']) expect(messageOf(type)).toContain(words)
  })
})

it('a report that an older agent has stored in a form that counts for none is left out; the rest of the state stays', async () => {
  const device = aDevice()
  server.plan.offer = await release(key, { version: 2, files: [{ bytes: 'new', location: '/app' }] })
  server.plan.refuse = { path: /update_events/, status: 503, code: 'unavailable' }
  await once(device)
  const state = device.state()
  const [first, ...others] = state.events
  writeFileSync(statePath(device), JSON.stringify({ ...state, events: [{ ...first, message: 'a\u0000' }, ...others] }))
  Object.assign(server.plan, { offer: null, refuse: null })
  expect(await once(device)).toEqual({ exit: 0 })
  expect(server.types()).toEqual(others.map(({ type }) => type))
  expect(device.state()).toMatchObject({ installed: { version: 2 } })
})

it('a state with fields of a newer agent is kept, with them', async () => {
  const device = aDevice()
  server.plan.offer = await release(key, { version: 2, files: [{ bytes: 'new', location: '/app' }] })
  await once(device)
  writeFileSync(statePath(device), JSON.stringify({ ...device.state(), of_a_newer_agent: 7 }))
  server.plan.offer = null
  expect(await once(device)).toEqual({ exit: 0 })
  expect(JSON.parse(readFileSync(statePath(device), 'utf8'))).toMatchObject({ installed: { version: 2 }, of_a_newer_agent: 7 })
})
