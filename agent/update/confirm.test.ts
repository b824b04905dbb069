import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { SigningKey } from '../../contract/device/private-key'
import { runAgent } from '../agent'
import { type DeviceServer, deviceServer } from '../testing/device-server'
import { setUpAgent } from '../testing/agent-process'
import { newKey, release } from '../testing/releases'

let key: SigningKey, server: DeviceServer
beforeEach(async () => {
  key = await newKey()
  server = await deviceServer()
})
afterEach(async () => {
  await server.close()
  expect(server.seen.problems).toEqual([])
})

it('a release that the bootloader has confirmed is confirmed after a kill, also if its key is not trusted any more', async () => {
  const waiting = { single_check: true, stop_after: 'install', update_mode: 'ab_rootfs', logs_enabled: false } as const
  const { config, root, state } = setUpAgent(server, [key.publicKey], waiting)
  const files = [{ kind: 'rootfs' as const, bytes: 'image' }]
  const plan = { version: 2, type: 'rootfs' as const, rollback_version: 3, may_return_to: [1], files }
  server.plan.offer = await release(key, plan)
  await runAgent(config, config, new AbortController().signal)

  // What a kill leaves between the record of the bootloader and the result.
  const bootPath = join(root, 'boot.json')
  expect(JSON.parse(readFileSync(bootPath, 'utf8'))).toMatchObject({ pending: 'b' })
  writeFileSync(bootPath, JSON.stringify({ active: 'b', pending: null, attempts_left: 0 }))
  const { attempt, ...before } = state()
  const statePath = join(config.persistent_directory, 'state.json')
  writeFileSync(statePath, JSON.stringify({ ...before, attempt: { ...attempt, phase: 'validating' } }))

  const other = { ...config, public_keys: [(await newKey()).publicKey] }
  server.plan.offer = null
  expect(await runAgent(other, other, new AbortController().signal)).toEqual({ exit: 0 })
  expect(server.types().at(-1)).toBe('update_confirmed')
  expect(state()).toMatchObject({
    attempt: null,
    installed: { version: 2, slot: 'b', confirmed: true },
    rollback_version: 3,
    may_return_to: [1],
  })
})

it('what a kill has left of an ended update is removed at the start; the downloads of one that was given up stay', async () => {
  const { config } = setUpAgent(server, [key.publicKey], { single_check: true, logs_enabled: false })
  const once = () => runAgent(config, config, new AbortController().signal)
  const path = (name: string) => join(config.persistent_directory, name)
  await once()
  mkdirSync(path('staging'))
  writeFileSync(path('staging/part'), 'bytes')
  await once()
  expect(existsSync(path('staging/part'))).toBe(true)
  mkdirSync(path('backup'))
  await once()
  expect([existsSync(path('staging')), existsSync(path('backup'))]).toEqual([false, false])
})
