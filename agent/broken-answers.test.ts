import { rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SigningKey } from '../contract/device/private-key'
import { runAgent } from './agent'
import { setUpAgent } from './testing/agent-process'
import { type DeviceServer, deviceServer } from './testing/device-server'
import { newKey, release, type Release } from './testing/releases'

let key: SigningKey, server: DeviceServer
beforeEach(async () => {
  key = await newKey()
  server = await deviceServer()
})
afterEach(async () => {
  await server.close()
  expect(server.seen.problems).toEqual([])
})

const aDevice = async () => {
  server.plan.offer = await release(key, { version: 2, files: [{ bytes: 'new', location: '/app' }] })
  const device = setUpAgent(server, [key.publicKey], { single_check: true, logs_enabled: false })
  return { device, once: () => runAgent(device.config, device.config, new AbortController().signal) }
}

const cutIn = (response: ServerResponse, { envelope, rolloutId }: Release) => {
  const text = JSON.stringify(envelope)
  response.writeHead(200, { 'x-rollout-id': rolloutId, 'content-length': text.length })
  response.write(text.slice(0, text.length / 2), () => response.destroy())
}
const page = (response: ServerResponse, { rolloutId }: Release) =>
  response.writeHead(200, { 'content-type': 'text/html', 'x-rollout-id': rolloutId }).end('<h1>Sign in to the network</h1>')

describe('an answer that is not the whole manifest', () => {
  it.each([
    ['one that is cut', cutIn],
    ['the page of a network', page],
  ])('%s, is no refused release: nothing is reported, and the next poll installs it', async (_, answer) => {
    const { device, once } = await aDevice()
    server.plan.answerUpdate = answer
    expect(await once()).toEqual({ exit: 1 })
    expect(server.types()).toEqual([])
    expect(await once()).toEqual({ exit: 0 })
    expect(device.file('app')).toBe('new')
  })
})

it('an offer whose rollout has no id is installed, and its reports can be read after a restart', async () => {
  const { device, once } = await aDevice()
  server.plan.answerUpdate = (response, { envelope }) =>
    response.writeHead(200, { 'x-rollout-id': 'not an id' }).end(JSON.stringify(envelope))
  server.plan.refuse = { path: /update_events/, status: 503, code: 'unavailable' }
  expect(await once()).toEqual({ exit: 0 })
  expect(device.state().events.map(({ rollout_id }) => rollout_id)).not.toContain('not an id')
  server.plan.refuse = null
  await once()
  expect(server.types()).toContain('update_confirmed')
})

it.each<[string, (path: string) => void]>([
  ['lost', (path) => rmSync(path)],
  ['damaged', (path) => writeFileSync(path, '{"schema":1')],
])('a device whose state was %s still knows what it runs, and takes no older release', async (_, spoil) => {
  const { device, once } = await aDevice()
  expect(await once()).toEqual({ exit: 0 })
  const { installed } = device.state()
  spoil(join(device.config.persistent_directory, 'state.json'))
  server.plan.offer = await release(key, { version: 1, files: [{ bytes: 'old', location: '/app' }] })
  await once().catch(() => null)
  await once()
  expect(server.seen.checkIns.at(-1)?.installed).toEqual(installed)
  expect(server.seen.events.at(-1)).toMatchObject({ type: 'verification_failed', reason_code: 'version_not_newer' })
  expect(device.file('app')).toBe('new')
})
