import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SigningKey } from '../contract/device/private-key'
import { isFull } from '../tests/support/counts'
import { type AgentSetup, buildAgent, killAtWrite, setUpAgent, type Running, start } from './testing/agent-process'
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

const launch = async ({ configPath }: AgentSetup, options: readonly string[] = []) => {
  const one = start(agent, ['--config', configPath, '--once'], '0-604800', options)
  running.push(one)
  return { code: await one.ended, output: one.output() }
}

type Scene = { title: string; mode: 'file' | 'ab_rootfs'; plan: Plan; ends: 'update_confirmed' | 'rollback_completed' }
const files: Plan = {
  version: 2,
  files: [
    { bytes: 'new', location: '/etc/app' },
    { bytes: 'added', location: '/opt/app/more' },
  ],
}
const image: Plan = { version: 2, type: 'rootfs', reboot: 'never', files: [{ kind: 'rootfs', bytes: 'new' }] }
const scenes: Scene[] = [
  { title: 'files that are confirmed', mode: 'file', plan: files, ends: 'update_confirmed' },
  {
    title: 'files that are rolled back',
    mode: 'file',
    plan: { ...files, hooks: { post_reboot: 'exit 1' } },
    ends: 'rollback_completed',
  },
  { title: 'an image that is confirmed', mode: 'ab_rootfs', plan: image, ends: 'update_confirmed' },
  {
    title: 'an image that is rolled back',
    mode: 'ab_rootfs',
    plan: { ...image, hooks: { post_reboot: 'exit 1' } },
    ends: 'rollback_completed',
  },
]

/** Each write takes a second or two: all of them only in a full run. */
const stride = isFull ? 1 : 13

describe.each(scenes)('F-16: an update by $title, killed before a write of the agent', ({ mode, plan, ends }) => {
  const isBack = ends === 'rollback_completed'

  /** One update that is killed before this write; false if it ended earlier. */
  const killAt = async (write: number): Promise<boolean> => {
    server.plan.offer = await release(key, plan)
    server.seen.events.splice(0)
    const device = setUpAgent(server, [key.publicKey], { update_mode: mode, logs_enabled: false })
    mkdirSync(join(device.root, 'etc'), { recursive: true })
    writeFileSync(join(device.root, 'etc/app'), 'old')
    const ended = server.until(() => {
      const isOver = server.types().includes(ends)
      // Withdrawn before the device can ask again.
      if (isOver) server.plan.offer = null
      return isOver
    })
    const first = await launch(device, killAtWrite(write))
    if (first.code !== null) return false
    const said = [`killed before write ${write}`, first.output]
    do said.push((await launch(device)).output)
    while (!server.types().includes(ends) && said.length < 8)
    await launch(device)
    const output = said.join('\n---\n')
    expect(server.types(), output).toContain(ends)
    await ended
    const numbers = server.seen.events.map(({ sequence }) => sequence)
    expect(numbers, output).toEqual(numbers.map((_, at) => at + 1))
    expect(device.state(), output).toMatchObject({ attempt: null, events: [], installed: isBack ? null : { version: 2 } })
    const left = readdirSync(device.config.persistent_directory).filter((name) => /new$|staging|backup/.test(name))
    expect(left, output).toEqual([])
    if (mode === 'file') {
      expect([device.file('etc/app'), ...readdirSync(join(device.root, 'etc'))], output).toEqual([isBack ? 'old' : 'new', 'app'])
    } else {
      const record: unknown = JSON.parse(device.file('boot.json'))
      expect(record, output).toEqual({ active: isBack ? 'a' : 'b', pending: null, attempts_left: 0 })
    }
    return true
  }

  it('ends whole, with each report once and in order', async () => {
    let kills = 0
    while (await killAt(1 + kills * stride)) kills++
    expect(kills * stride).toBeGreaterThan(20)
  })
})
