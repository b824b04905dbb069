import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SigningKey } from '../contract/device/private-key'
import type { Attempt } from './state/store'
import { archive } from './testing/archive'
import { type AgentSetup, bootAs, buildAgent, killAtRename, setUpAgent, type Running, start } from './testing/agent-process'
import { type DeviceServer, deviceServer } from './testing/device-server'
import { newKey, type Plan, release } from './testing/releases'

let agent: string, key: SigningKey, server: DeviceServer
const running: Running[] = []
const launch = ({ configPath }: AgentSetup, ...more: string[]) => {
  const one = start(agent, ['--config', configPath, ...more])
  running.push(one)
  return one
}
/** A start of the agent in a new boot of the device. */
const boot = ({ configPath }: AgentSetup, ...more: string[]) => {
  const one = start(agent, ['--config', configPath, ...more], '0-604800', bootAs(randomUUID()))
  running.push(one)
  return one
}

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

const offer = async (plan: Plan) => (server.plan.offer = await release(key, plan))
const aDevice = (changes: Parameters<typeof setUpAgent>[2] = {}) => setUpAgent(server, [key.publicKey], changes)
const inSlots = { update_mode: 'ab_rootfs' } as const
const bootRecord = (device: AgentSetup): unknown => JSON.parse(device.file('boot.json'))
const steps = () => server.types().filter((type) => !type.endsWith('_progress'))
const reasonOf = (type: string) => server.seen.events.find((event) => event.type === type)?.reason_code

describe('the built agent, over its files', () => {
  it('enrolls, installs a signed release, and reports each step', async () => {
    await offer({
      version: 2,
      files: [
        { name: 'app', bytes: 'the new program', location: '/opt/app/run', mode: '0755' },
        { name: 'settings', bytes: Buffer.alloc(300_000, 7), location: '/etc/app/settings.bin' },
      ],
      hooks: {
        pre_install: 'echo before $TEASEL_VERSION',
        post_install: 'test -x "$TEASEL_INSTALL_ROOT/opt/app/run"',
        post_reboot: 'true',
      },
    })
    const device = aDevice({ name: 'gateway 7' })
    const { ended, output } = launch(device, '--once')
    expect(await ended, output()).toBe(0)

    expect(device.file('opt/app/run')).toBe('the new program')
    expect(statSync(join(device.root, 'opt/app/run')).mode & 0o777).toBe(0o755)
    expect(statSync(join(device.config.persistent_directory, 'identity.json')).mode & 0o777).toBe(0o600)
    expect(steps()).toEqual([
      'update_accepted',
      'download_started',
      'download_completed',
      'verification_started',
      'verification_passed',
      'pre_install_started',
      'pre_install_completed',
      'install_started',
      'install_completed',
      'post_install_started',
      'post_install_completed',
      'validation_started',
      'post_reboot_started',
      'post_reboot_completed',
      'validation_passed',
      'update_confirmed',
    ])
    const numbers = server.seen.events.map(({ sequence }) => sequence)
    expect(numbers).toEqual(numbers.map((_, at) => at + 1))
    expect(server.seen.events.find(({ type }) => type === 'verification_passed')).toMatchObject({
      key_fingerprint: key.publicKey.fingerprint,
    })
    expect(server.seen.enrollments[0]).toMatchObject({ name: 'gateway 7', hardware_model: 'gw-imx8m' })
    expect(device.state()).toMatchObject({ attempt: null, events: [], installed: { version: 2, confirmed: true } })
    expect(readdirSync(device.config.persistent_directory)).not.toContain('staging')
    expect(server.seen.logs.map(({ message }) => message)).toContain('before 2')
    expect(server.seen.metrics.map(({ name }) => name)).toContain('memory.used_percent')
    expect(server.seen.attributes[0]).toMatchObject({ client_version: '0.1.0' })
  })

  it('unpacks an archive where the manifest says', async () => {
    await offer({
      version: 2,
      type: 'zip_archive',
      files: [{ kind: 'archive', bytes: archive, location: '/srv/site' }],
    })
    const device = aDevice()
    const { ended, output } = launch(device, '--once')
    expect(await ended, output()).toBe(0)
    expect(device.file('srv/site/sub/a.txt')).toBe('a'.repeat(1000))
  })

  it.each([
    ['pre_install', ['pre_install_failed']],
    ['post_install', ['post_install_failed', 'rollback_started', 'rollback_completed']],
    ['post_reboot', ['post_reboot_failed', 'rollback_started', 'rollback_completed']],
  ] as const)('keeps what it had when the hook %s fails', async (name, last) => {
    await offer({
      version: 3,
      files: [
        { bytes: 'new', location: '/app' },
        { bytes: 'added', location: '/more' },
      ],
      hooks: { [name]: 'echo no room for settings; exit 3' },
    })
    const device = aDevice()
    mkdirSync(device.root, { recursive: true })
    writeFileSync(join(device.root, 'app'), 'old')
    const { ended } = launch(device, '--once')
    expect(await ended).toBe(1)
    expect([device.file('app'), existsSync(join(device.root, 'more'))]).toEqual(['old', false])
    expect(steps().slice(-last.length)).toEqual(last)
    expect(reasonOf(`${name}_failed`)).toBe(`${name}_failed`)
    expect(server.seen.events.find(({ type }) => type === `${name}_failed`)?.message).toContain('no room for settings')
    expect(device.state()).toMatchObject({ attempt: null, installed: null })
  })

  it('restarts itself when the release asks for it, and confirms after the start', async () => {
    await offer({
      version: 2,
      reboot: 'after_install',
      files: [{ bytes: 'new', location: '/app' }],
      hooks: { post_reboot: 'true' },
    })
    const device = aDevice()
    const one = launch(device)
    await server.until(() => server.types().includes('update_confirmed'))
    expect(await one.kill('SIGTERM'), one.output()).toBe(0)
    expect(steps().slice(-6)).toEqual([
      'booted',
      'validation_started',
      'post_reboot_started',
      'post_reboot_completed',
      'validation_passed',
      'update_confirmed',
    ])
    const boots = new Set(server.seen.events.map(({ boot_id }) => boot_id))
    expect(boots.size).toBe(2)
  })

  it('does not download what it already runs', async () => {
    await offer({ version: 2, files: [{ bytes: 'new', location: '/app' }] })
    const device = aDevice()
    for (let round = 0; round < 2; round++) expect(await launch(device, '--once').ended).toBe(0)
    expect(server.types().filter((type) => type === 'update_accepted')).toHaveLength(1)
    expect(server.seen.enrollments).toHaveLength(1)
  })

  it('stops after the download when the configuration says so', async () => {
    await offer({ version: 2, files: [{ bytes: 'new', location: '/app' }] })
    const device = aDevice({ stop_after: 'download' })
    expect(await launch(device, '--once').ended).toBe(0)
    expect(existsSync(join(device.root, 'app'))).toBe(false)
    expect(server.types().at(-1)).toBe('update_deferred')
  })
})

describe('the built agent, with two slots', () => {
  it('waits for the next start when the release or the configuration says so, and asks for nothing meanwhile', async () => {
    await offer({ version: 2, type: 'rootfs', reboot: 'never', files: [{ kind: 'rootfs', bytes: 'image' }] })
    const device = aDevice(inSlots)
    expect(await launch(device, '--once').ended).toBe(0)
    expect(bootRecord(device)).toEqual({ active: 'a', pending: 'b', attempts_left: 3 })
    expect(steps().at(-1)).toBe('reboot_requested')
    expect(await launch(device, '--once').ended).toBe(0)
    expect(bootRecord(device)).toEqual({ active: 'b', pending: null, attempts_left: 0 })

    await offer({ version: 3, type: 'rootfs', reboot: 'if_needed', files: [{ kind: 'rootfs', bytes: 'image' }] })
    writeFileSync(device.configPath, JSON.stringify({ ...device.config, stop_after: 'install' }))
    expect(await launch(device, '--once').ended).toBe(0)
    expect(bootRecord(device)).toEqual({ active: 'b', pending: 'a', attempts_left: 3 })
  })

  it('fills the other slot with the running tree and the files of the release', async () => {
    await offer({ version: 2, reboot: 'if_needed', files: [{ bytes: 'new', location: '/opt/app' }] })
    const device = aDevice(inSlots)
    mkdirSync(join(device.root, 'slots/a/opt'), { recursive: true })
    for (const [name, text] of [
      ['opt/app', 'old'],
      ['opt/data', 'kept'],
    ])
      writeFileSync(join(device.root, 'slots/a', name ?? ''), text ?? '')
    expect(await launch(device, '--once').ended).toBe(0)
    expect([device.file('slots/b/opt/app'), device.file('slots/b/opt/data'), device.file('slots/a/opt/app')]).toEqual([
      'new',
      'kept',
      'old',
    ])
    expect(JSON.parse(device.file('slots/b/release.json'))).toMatchObject({ version: 2 })
  })

  it('writes the other slot, starts it, validates, and confirms', async () => {
    await offer({
      version: 2,
      type: 'rootfs',
      reboot: 'if_needed',
      files: [{ kind: 'rootfs', bytes: Buffer.alloc(500_000, 5) }],
      hooks: { post_reboot: 'test "$TEASEL_SLOT" = b' },
    })
    const device = aDevice(inSlots)
    const { ended, output } = launch(device, '--once')
    expect(await ended, output()).toBe(0)
    expect(bootRecord(device)).toEqual({ active: 'b', pending: null, attempts_left: 0 })
    expect(readFileSync(join(device.root, 'slots/b/rootfs.img')).equals(Buffer.alloc(500_000, 5))).toBe(true)
    expect(server.seen.events.find(({ type }) => type === 'booted')).toMatchObject({ slot: 'b', message: 'Start 1 of 3' })
    expect(device.state().installed).toMatchObject({ version: 2, slot: 'b', confirmed: true })

    await offer({ version: 3, type: 'rootfs', reboot: 'if_needed', files: [{ kind: 'rootfs', bytes: 'third' }] })
    expect(await launch(device, '--once').ended).toBe(0)
    expect(bootRecord(device)).toEqual({ active: 'a', pending: null, attempts_left: 0 })
    expect(readFileSync(join(device.root, 'slots/b/rootfs.img')).length).toBe(500_000)
  })

  it('writes straight onto the file or device that the configuration names', async () => {
    await offer({ version: 2, type: 'rootfs', reboot: 'if_needed', files: [{ kind: 'rootfs', bytes: 'image' }] })
    const draft = aDevice()
    const slots = { a: join(draft.folder, 'mmcblk0p2'), b: join(draft.folder, 'mmcblk0p3') }
    for (const path of Object.values(slots)) writeFileSync(path, Buffer.alloc(64))
    const device = aDevice({ ...inSlots, slots })
    expect(await launch(device, '--once').ended).toBe(0)
    expect(readFileSync(slots.b).toString('latin1')).toBe(`image${'\0'.repeat(59)}`)
    expect(readFileSync(slots.a).equals(Buffer.alloc(64))).toBe(true)
  })

  it('stays on the running slot when the new one does not pass its validation', async () => {
    await offer({
      version: 2,
      type: 'rootfs',
      reboot: 'if_needed',
      files: [{ kind: 'rootfs', bytes: 'image' }],
      hooks: { post_reboot: 'exit 1' },
    })
    const device = aDevice(inSlots)
    const one = launch(device)
    await server.until(() => server.types().includes('rollback_completed'))
    await one.kill('SIGTERM')
    expect(bootRecord(device)).toMatchObject({ active: 'a', pending: null })
    expect(reasonOf('rollback_completed')).toBe('post_reboot_failed')
    expect(device.state().installed).toBeNull()
  })

  it('goes back when the new release does not come up in three starts', async () => {
    await offer({
      version: 2,
      type: 'rootfs',
      reboot: 'if_needed',
      files: [{ kind: 'rootfs', bytes: 'image' }],
      hooks: { post_reboot: 'kill -9 $PPID' },
    })
    // The reboot command kills the agent as a restart of the device would; the test then starts it again.
    const device = aDevice({ ...inSlots, reboot_command: 'kill -9 $PPID' })
    const lefts: unknown[] = []
    for (let starts = 0; starts < 4; starts++) {
      expect(await boot(device).ended).toBeNull()
      lefts.push(bootRecord(device))
    }
    expect(lefts).toEqual([3, 2, 1, 0].map((attempts_left) => ({ active: 'a', pending: 'b', attempts_left })))
    server.plan.offer = null
    // The failed release may still run, so the rollback ends with one more restart, into the old slot.
    expect(await boot(device).ended).toBeNull()
    expect(bootRecord(device)).toEqual({ active: 'a', pending: null, attempts_left: 0 })
    expect(await boot(device, '--once').ended).toBe(0)
    expect(steps().filter((type) => type === 'booted')).toHaveLength(3)
    expect(reasonOf('rollback_completed')).toBe('boot_failed')
    expect(device.state()).toMatchObject({ attempt: null, installed: null })
  })
})

describe('the built agent, interrupted', () => {
  const parts = Array.from({ length: 24 }, (_, at) => ({ bytes: Buffer.alloc(20_000, at + 1), location: `/opt/part-${at}` }))
  const oldBytes = Buffer.from('old')
  const prepare = (device: AgentSetup) => {
    mkdirSync(join(device.root, 'opt'), { recursive: true })
    for (const { location } of parts) writeFileSync(join(device.root, location), oldBytes)
  }
  /** Every file is completely the old or completely the new one, at any time. */
  const expectWhole = (device: AgentSetup) => {
    for (const { location, bytes } of parts) {
      const there = readFileSync(join(device.root, location))
      if (!there.equals(bytes) && !there.equals(oldBytes)) expect.fail(`${location} is neither old nor new`)
    }
  }

  it('F-11 resumes a download that was cut, by Range', async () => {
    await offer({ version: 2, files: [{ bytes: Buffer.alloc(400_000, 9), location: '/app' }] })
    server.plan.cuts = [{ after: 123_456 }, { after: 7 }]
    const device = aDevice()
    expect(await launch(device, '--once').ended).toBe(0)
    expect(server.types().filter((type) => type === 'download_resumed')).toHaveLength(2)
    // Each range begins where the received bytes end; how many of them a cut loses is not known.
    const [first, ...others] = server.seen.ranges
    const starts = others.map((range) => Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1]))
    expect(first).toBeUndefined()
    expect(starts).toHaveLength(2)
    expect(starts[1]).toBeGreaterThanOrEqual(starts[0] ?? Infinity)
    expect(device.file('app')).toBe('\t'.repeat(400_000))
  })

  it('F-11 killed during the download, it goes on with the bytes it has', async () => {
    await offer({ version: 2, files: [{ bytes: Buffer.alloc(400_000, 9), location: '/app' }] })
    server.plan.assetDelayMs = 5
    const device = aDevice()
    const one = launch(device)
    await server.until(() => server.types().includes('download_progress'))
    await one.kill('SIGKILL')
    server.plan.assetDelayMs = 0
    expect(await launch(device, '--once').ended).toBe(0)
    expect(server.seen.ranges.at(-1)).toMatch(/^bytes=[1-9]\d*-$/)
    expect(server.types()).toContain('download_resumed')
    expect(server.types().filter((type) => type === 'update_accepted')).toHaveLength(1)
    expect(device.file('app').length).toBe(400_000)
  })

  it('killed in the middle of the installation, it goes on to the end', async () => {
    await offer({ version: 2, files: parts })
    const device = aDevice()
    prepare(device)
    const one = launch(device)
    await new Promise<void>((resolve) => {
      const watcher = watch(join(device.root, 'opt'), (_, name) => {
        if (name === null || name.startsWith('.teasel-')) return
        watcher.close()
        one.child.kill('SIGKILL')
        resolve()
      })
    })
    await one.ended
    expectWhole(device)
    expect(device.state().attempt?.phase).toBe('installing')
    expect(await launch(device, '--once').ended).toBe(0)
    for (const { location, bytes } of parts) expect(readFileSync(join(device.root, location)).equals(bytes)).toBe(true)
    expect(readdirSync(join(device.root, 'opt')).filter((name) => !name.startsWith('.teasel-'))).toHaveLength(parts.length)
    expect(device.state()).toMatchObject({ attempt: null, installed: { version: 2 } })
  })

  it.each([
    ['goes on', 'true', 'new'],
    ['rolls back', 'exit 1', 'old'],
  ])('killed while it replaces a file, it leaves nothing beside that when it %s', async (_, post_install, text) => {
    const files = ['/opt/app', '/opt/added'].map((location) => ({ bytes: 'new', location }))
    await offer({ version: 2, files, hooks: { post_install } })
    const device = aDevice()
    mkdirSync(join(device.root, 'opt'), { recursive: true })
    writeFileSync(join(device.root, 'opt/app'), 'old')
    for (const name of ['app', 'added']) {
      const one = start(agent, ['--config', device.configPath], undefined, killAtRename(name))
      running.push(one)
      expect(await one.ended).toBeNull()
    }
    server.plan.offer = null
    await launch(device, '--once').ended
    expect(device.file('opt/app')).toBe(text)
    expect(readdirSync(join(device.root, 'opt'))).toEqual(text === 'new' ? ['added', 'app'] : ['app'])
  })

  it('killed while it stores its state or the boot record, it leaves nothing beside them', async () => {
    await offer({ version: 2, type: 'rootfs', reboot: 'if_needed', files: [{ kind: 'rootfs', bytes: 'image' }] })
    const device = aDevice(inSlots)
    const folders = [device.config.persistent_directory, device.root]
    const unfinished = () => folders.flatMap((folder) => readdirSync(folder)).filter((name) => name.endsWith('.new'))
    mkdirSync(device.root)
    for (const name of ['state.json', 'identity.json', 'boot.json']) {
      const one = start(agent, ['--config', device.configPath], undefined, killAtRename(name))
      running.push(one)
      expect(await one.ended).toBeNull()
      expect(unfinished().map((file) => file.replace(/\.[0-9a-f]{8}/, ''))).toEqual([`${name}.new`])
    }
    expect(await launch(device, '--once').ended).toBe(0)
    expect(unfinished()).toEqual([])
  })

  it('killed between installation and confirmation, it validates again and confirms', async () => {
    await offer({
      version: 2,
      files: parts,
      hooks: { post_install: 'test -e "$TEASEL_INSTALL_ROOT/again" || { touch "$TEASEL_INSTALL_ROOT/again"; kill -9 $PPID; }' },
    })
    const device = aDevice()
    prepare(device)
    expect(await launch(device).ended).toBeNull()
    expect(await launch(device, '--once').ended).toBe(0)
    expect(steps().slice(-3)).toEqual(['validation_started', 'validation_passed', 'update_confirmed'])
  })

  it.each([
    ['a running update', () => {}],
    ['a running update of an older agent, which did not store the mode', (attempt: Attempt) => void delete attempt.update_mode],
  ])('the mode of %s stays when the configuration changes', async (_, change) => {
    const files = [{ bytes: 'new', location: '/app' }]
    await offer({ version: 2, reboot: 'after_install', files, hooks: { post_reboot: 'exit 1' } })
    const device = aDevice({ stop_after: 'install' })
    mkdirSync(device.root, { recursive: true })
    writeFileSync(join(device.root, 'app'), 'old')
    expect(await launch(device, '--once').ended).toBe(0)
    expect(device.file('app')).toBe('new')
    const state = device.state()
    expect(state.attempt).toMatchObject({ phase: 'rebooting', update_mode: 'file' })
    if (state.attempt) change(state.attempt)
    writeFileSync(join(device.config.persistent_directory, 'state.json'), JSON.stringify(state))
    writeFileSync(device.configPath, JSON.stringify({ ...device.config, ...inSlots }))
    server.plan.offer = null
    await launch(device, '--once').ended
    expect(steps()).toContain('rollback_completed')
    expect(device.file('app')).toBe('old')
    expect(existsSync(join(device.root, 'boot.json'))).toBe(false)
  })

  it('killed again and again at whatever moment, it loses no report and ends whole', async () => {
    await offer({
      version: 2,
      reboot: 'after_install',
      files: parts,
      hooks: { pre_install: 'true', post_install: 'true', post_reboot: 'true' },
    })
    const device = aDevice()
    prepare(device)
    for (let round = 0; round < 12; round++) {
      const one = launch(device)
      const after = server.seen.events.length + 1 + round
      // Either the reports reach a new number, or the agent is idle because all is done.
      const polls = server.seen.checkIns.length + 2
      await server.until(() => server.seen.events.length >= after || server.seen.checkIns.length >= polls)
      await one.kill('SIGKILL')
      expectWhole(device)
    }
    const last = launch(device, '--once')
    expect(await last.ended, last.output()).toBe(0)
    expect(device.state()).toMatchObject({ attempt: null, events: [], installed: { version: 2 } })
    const numbers = server.seen.events.map(({ sequence }) => sequence).toSorted((one, other) => one - other)
    expect(numbers).toEqual(numbers.map((_, at) => at + 1))
    for (const { location, bytes } of parts) expect(readFileSync(join(device.root, location)).equals(bytes)).toBe(true)
  })

  it('keeps its reports while the server is away, and sends them in order', async () => {
    await offer({ version: 2, files: [{ bytes: 'new', location: '/app' }] })
    server.plan.refuse = { path: /update_events/, status: 503, code: 'unavailable' }
    const device = aDevice()
    // The work is done; its reports wait on disk.
    expect(await launch(device, '--once').ended).toBe(0)
    const waiting = device.state().events.length
    expect(waiting).toBeGreaterThan(5)
    server.plan.refuse = null
    expect(await launch(device, '--once').ended).toBe(0)
    expect(server.seen.events.length).toBe(waiting)
    expect(server.types()).toContain('update_confirmed')
    expect(device.state().events).toEqual([])
  })

  it('stops a download when the server asks it to, and has written nothing', async () => {
    await offer({ version: 2, files: [{ bytes: Buffer.alloc(300_000), location: '/app' }] })
    server.plan.assetDelayMs = 5
    server.plan.abort = true
    const device = aDevice()
    const one = launch(device)
    await server.until(() => server.types().includes('update_cancelled'))
    server.plan.offer = null
    await one.kill('SIGTERM')
    expect(reasonOf('update_cancelled')).toBe('aborted')
    expect(existsSync(join(device.root, 'app'))).toBe(false)
  })
})
