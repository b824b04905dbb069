import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { SigningKey } from '../contract/device/private-key'
import { runAgent } from './agent'
import { setUpAgent } from './testing/agent-process'
import { type DeviceServer, deviceServer } from './testing/device-server'
import { newKey, release } from './testing/releases'
import { within } from '../tests/support/machine-load'

let key: SigningKey, server: DeviceServer
beforeEach(async () => {
  key = await newKey()
  server = await deviceServer()
})
afterEach(async () => {
  await server.close()
  expect(server.seen.problems).toEqual([])
})

it('a device whose boot record cannot be read still checks in and sends its reports, and continues once it can', async () => {
  const waiting = { single_check: true, stop_after: 'install', update_mode: 'ab_rootfs', logs_enabled: false } as const
  const { config, root, state } = setUpAgent(server, [key.publicKey], waiting)
  const once = () => runAgent(config, config, new AbortController().signal)
  const files = [{ kind: 'rootfs' as const, bytes: 'image' }]
  server.plan.offer = await release(key, { version: 2, type: 'rootfs', files })
  server.plan.refuse = { path: /update_events/, status: 503, code: 'unavailable' }
  await once()
  const path = join(root, 'boot.json')
  const record = readFileSync(path, 'utf8')
  writeFileSync(path, record.slice(0, 9))
  server.plan.refuse = null
  const before = server.seen.checkIns.length
  expect(await once()).toEqual({ exit: 1 })
  expect(server.seen.checkIns.length).toBe(before + 1)
  expect(server.types().at(-1)).toBe('reboot_requested')
  writeFileSync(path, record)
  expect(await once()).toEqual({ exit: 0 })
  expect(state()).toMatchObject({ attempt: null, installed: { version: 2 } })
})

it('a rollback that failed is tried again in the same process, also while the server is away', async () => {
  const { config, root } = setUpAgent(server, [key.publicKey], { logs_enabled: false })
  const app = join(root, 'app')
  mkdirSync(root)
  writeFileSync(app, 'old')
  // A folder in the way of the former file.
  const post_install = `rm ${app}; mkdir ${app}; exit 1`
  server.plan.offer = await release(key, { version: 2, files: [{ bytes: 'new', location: '/app' }], hooks: { post_install } })
  const stop = new AbortController()
  const running = runAgent(config, config, stop.signal, { leastS: 0, mostS: 1 })
  await server.until(() => server.types().includes('rollback_started'))
  server.plan.refuse = { path: /./, status: 503, code: 'unavailable' }
  await server.until(() => server.seen.refusedAt.length > 2)
  rmSync(app, { recursive: true })
  await expect.poll(() => existsSync(app), { timeout: within(60_000) }).toBe(true)
  stop.abort()
  await running
  expect(readFileSync(app, 'utf8')).toBe('old')
})
