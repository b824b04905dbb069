import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SigningKey } from '../contract/device/private-key'
import { buildAgent, type AgentSetup, setUpAgent, type Running, start } from './testing/agent-process'
import { type DeviceServer, deviceServer } from './testing/device-server'
import { newKey, type Plan, release, type Release } from './testing/releases'

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

const launch = ({ configPath }: AgentSetup, ...more: string[]) => {
  const one = start(agent, ['--config', configPath, ...more])
  running.push(one)
  return one
}
const once = (device: AgentSetup, offered: Release) => {
  server.plan.offer = offered
  return launch(device, '--once').ended
}
const refusals = () => server.seen.events.filter(({ type }) => type === 'verification_failed').map((event) => event.reason_code)

type Mode = {
  mode: 'file' | 'ab_rootfs'
  plan: (version: number) => Plan
  /** What the device would run after a restart. */
  runs: (device: AgentSetup) => string
}
const modes: Mode[] = [
  {
    mode: 'file',
    plan: (version) => ({ version, files: [{ bytes: `version ${version}`, location: '/app' }] }),
    runs: (device) => device.file('app'),
  },
  {
    mode: 'ab_rootfs',
    plan: (version) => ({
      version,
      type: 'rootfs',
      reboot: 'if_needed',
      files: [{ kind: 'rootfs', bytes: `version ${version}` }],
    }),
    runs: (device) => {
      const { active } = JSON.parse(device.file('boot.json')) as { active: 'a' | 'b' }
      return device.file(`slots/${active}/rootfs.img`)
    },
  },
]

describe.each(modes)('a device in $mode mode', ({ mode, plan, runs }) => {
  const offer = (version: number, more: Partial<Plan> = {}) => release(key, { ...plan(version), ...more })
  const aDevice = () => setUpAgent(server, [key.publicKey], { update_mode: mode })

  it('returns to an older release that the installed manifest lists', async () => {
    const device = aDevice()
    const first = await offer(1)
    expect(await once(device, first)).toBe(0)
    expect(await once(device, await offer(2, { may_return_to: [1] }))).toBe(0)
    expect(runs(device)).toBe('version 2')
    expect(device.state()).toMatchObject({ installed: { version: 2 }, may_return_to: [1] })

    expect(await once(device, first)).toBe(0)
    expect(runs(device)).toBe('version 1')
    expect(device.state()).toMatchObject({ installed: { version: 1, confirmed: true }, may_return_to: [] })
  })

  it.runIf(mode === 'file')(
    'loses the files that only the newer release has, also by a trial that fails, and keeps one that was changed',
    async () => {
      const device = aDevice()
      const extra = [
        { bytes: 'weights', location: '/models/large.bin' },
        { bytes: 'defaults', location: '/conf/new.conf' },
      ]
      const first = await offer(1)
      expect(await once(device, first)).toBe(0)
      expect(await once(device, await offer(2, { files: [...plan(2).files, ...extra], may_return_to: [1] }))).toBe(0)
      expect(device.file('models/large.bin')).toBe('weights')
      // Their removal is undone with the rest.
      await once(device, await offer(3, { hooks: { post_reboot: 'exit 1' } }))
      expect([runs(device), device.file('models/large.bin')]).toEqual(['version 2', 'weights'])
      writeFileSync(join(device.config.install_root, 'conf/new.conf'), 'by hand')

      expect(await once(device, first)).toBe(0)
      expect([runs(device), device.file('conf/new.conf')]).toEqual(['version 1', 'by hand'])
      expect(() => device.file('models/large.bin')).toThrow('ENOENT')
      expect(server.seen.logs.map(({ message }) => message)).toContain('Removed 1 file of version 2 that version 1 does not have')
    },
  )

  it('refuses an older release when the installed manifest has no list', async () => {
    const device = aDevice()
    const first = await offer(1)
    expect(await once(device, first)).toBe(0)
    expect(await once(device, await offer(2))).toBe(0)
    expect(await once(device, first)).toBe(3)
    expect(refusals()).toEqual(['version_not_newer'])
    expect(runs(device)).toBe('version 2')
  })

  it('uses the list of the installed release, not that of a release that failed its trial', async () => {
    const device = aDevice()
    const first = await offer(1)
    expect(await once(device, first)).toBe(0)
    expect(await once(device, await offer(2, { may_return_to: [1] }))).toBe(0)
    server.plan.offer = await offer(3, { may_return_to: [2], hooks: { post_reboot: 'exit 1' } })
    const one = launch(device)
    await server.until(() => {
      const isBack = server.types().includes('rollback_completed')
      // Withdrawn before the device can ask again.
      if (isBack) server.plan.offer = null
      return isBack
    })
    await one.kill('SIGTERM')
    expect(runs(device)).toBe('version 2')
    expect(device.state()).toMatchObject({ installed: { version: 2 }, may_return_to: [1] })
    expect(await once(device, first)).toBe(0)
    expect(runs(device)).toBe('version 1')
  })

  it('continues with the state of an agent without the list, and allows no downgrade', async () => {
    const device = aDevice()
    const first = await offer(1)
    expect(await once(device, first)).toBe(0)
    expect(await once(device, await offer(2))).toBe(0)
    const path = join(device.config.persistent_directory, 'state.json')
    const { may_return_to: _, ...before } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
    writeFileSync(path, JSON.stringify(before))
    expect(await once(device, first)).toBe(3)
    expect(device.state()).toMatchObject({ installed: { version: 2 } })
  })
})
