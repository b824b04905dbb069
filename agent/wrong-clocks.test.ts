import { afterEach, beforeEach, expect, it } from 'vitest'
import type { SigningKey } from '../contract/device/private-key'
import { runAgent } from './agent'
import { setUpAgent } from './testing/agent-process'
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

it('a release that was signed with a clock far ahead does not make the later ones expired', async () => {
  const { config, file } = setUpAgent(server, [key.publicKey], { single_check: true, logs_enabled: false })
  const once = () => runAgent(config, config, new AbortController().signal)
  const files = [{ bytes: 'ahead', location: '/app' }]
  const times = { created_at: '2088-01-01T00:00:00+00:00', expires_at: '2089-01-01T00:00:00+00:00' }
  server.plan.offer = await release(key, { version: 2, files, ...times })
  expect(await once()).toEqual({ exit: 0 })
  server.plan.offer = await release(key, { version: 3, files: [{ bytes: 'later', location: '/app' }] })
  expect(await once()).toEqual({ exit: 0 })
  expect(file('app')).toBe('later')
})
