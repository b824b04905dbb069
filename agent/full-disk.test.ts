import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SigningKey } from '../contract/device/private-key'
import { mountSmallDisk } from '../tests/support/small-disk'
import { type AgentSetup, buildAgent, claimFreeSpace, type Running, setUpAgent, start } from './testing/agent-process'
import { storedArchive } from './testing/archive'
import { type DeviceServer, deviceServer } from './testing/device-server'
import { newId, newKey, type Plan, release } from './testing/releases'
import { within } from '../tests/support/machine-load'

const KiB = 1024
let agent: string, key: SigningKey, server: DeviceServer
const running: Running[] = []
const disks: ReturnType<typeof mountSmallDisk>[] = []
const aDisk = (kib: number) => {
  const disk = mountSmallDisk(kib)
  disks.push(disk)
  return disk.path
}
const launch = ({ configPath }: AgentSetup, { once = true, options = [] as readonly string[] } = {}) => {
  const one = start(agent, ['--config', configPath, ...(once ? ['--once'] : [])], undefined, options)
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
  for (const disk of disks.splice(0)) disk.unmount()
  await server.close()
  expect(server.seen.problems).toEqual([])
})

const offer = async (plan: Omit<Plan, 'version'>) => (server.plan.offer = await release(key, { version: 2, ...plan }))
const reasonsOf = (type: string) => server.seen.events.filter((event) => event.type === type).map((event) => event.reason_code)
const oldFile = ({ root }: AgentSetup, location: string, size = 3) => {
  mkdirSync(join(root, location, '..'), { recursive: true })
  writeFileSync(join(root, location), Buffer.alloc(size, 'old'))
}
/** Takes all of the free space. */
const fill = (path: string) => {
  mkdirSync(join(path, '..'), { recursive: true })
  expect(() => writeFileSync(path, Buffer.alloc(4096 * KiB))).toThrow('ENOSPC')
}
const replaced = (count: number) => Array.from({ length: count }, (_, at) => ({ bytes: 'new', location: `/opt/part-${at}` }))

describe.skipIf(!mountSmallDisk.works)('a device with a small disk', () => {
  const small = (kib = 1024) => setUpAgent(server, [key.publicKey], { persistent_directory: join(aDisk(kib), 'state') })
  const smallSlots = (kib: number) => setUpAgent(server, [key.publicKey], { install_root: aDisk(kib), update_mode: 'ab_rootfs' })
  const archived = () => ({
    type: 'zip_archive' as const,
    files: [{ kind: 'archive' as const, bytes: storedArchive('big', randomBytes(600 * KiB)), location: '/srv' }],
  })
  const image = () => ({ type: 'rootfs' as const, files: [{ kind: 'rootfs' as const, bytes: randomBytes(700 * KiB) }] })
  const expectRolledBack = (device: AgentSetup) => {
    expect(reasonsOf('rollback_completed')).toEqual(['no_space'])
    expect(device.state()).toMatchObject({ attempt: null, events: [], installed: null })
    expect(existsSync(join(device.config.persistent_directory, 'staging'))).toBe(false)
    expect(existsSync(join(device.config.persistent_directory, 'backup'))).toBe(false)
  }

  it('refuses an archive that does not fit once it is unpacked, before it installs anything', async () => {
    await offer(archived())
    const device = small()
    expect(await launch(device).ended).toBe(1)
    expect(reasonsOf('update_failed')).toEqual(['no_space'])
    expect(server.types()).toContain('verification_passed')
    expect(server.types()).not.toContain('install_started')
  })

  it('refuses an update before the download when the files that it replaces cannot be saved', async () => {
    await offer({ files: replaced(40) })
    const device = small(512)
    for (const { location } of replaced(40)) oldFile(device, location, 16 * KiB)
    expect(await launch(device).ended).toBe(1)
    expect(reasonsOf('update_failed')).toEqual(['no_space'])
    expect(server.types()).not.toContain('download_started')
  })

  it('refuses an image or a tree for which the slot has no space, before the download', async () => {
    for (const plan of [image(), { files: replaced(1) }]) {
      await offer(plan)
      const device = smallSlots(512)
      oldFile(device, 'slots/a/data', 300 * KiB)
      expect(await launch(device).ended).toBe(1)
    }
    expect(reasonsOf('update_failed')).toEqual(['no_space', 'no_space'])
    expect(server.types()).not.toContain('download_started')
  })

  it('reports a full disk when an archive fills it, and keeps what it had', async () => {
    await offer(archived())
    const device = small()
    const { ended, output } = launch(device, { options: claimFreeSpace })
    expect(await ended, output()).toBe(1)
    expectRolledBack(device)
    expect(existsSync(join(device.root, 'srv/big'))).toBe(false)
  })

  it('reports a full disk when the backup of replaced files fills it, and keeps what it had', async () => {
    await offer({ files: replaced(40) })
    const device = small(512)
    for (const { location } of replaced(40)) oldFile(device, location, 16 * KiB)
    const { ended, output } = launch(device, { options: claimFreeSpace })
    expect(await ended, output()).toBe(1)
    expectRolledBack(device)
    for (const { location } of replaced(40)) expect(readFileSync(join(device.root, location)).length).toBe(16 * KiB)
  })

  it('reports a full disk when an image fills the slot, and stays on the running one', async () => {
    await offer(image())
    const device = smallSlots(512)
    const { ended, output } = launch(device, { options: claimFreeSpace })
    expect(await ended, output()).toBe(1)
    expectRolledBack(device)
    expect(JSON.parse(device.file('boot.json'))).toEqual({ active: 'a', pending: null, attempts_left: 0 })
    expect(existsSync(join(device.root, 'slots/b'))).toBe(false)
  })

  it('gives up an installation that a kill interrupted while its own files filled the disk', async () => {
    await offer({ files: [{ bytes: 'new', location: '/app' }], hooks: { post_install: 'kill -9 $PPID' } })
    const device = small()
    oldFile(device, '/app')
    expect(await launch(device).ended).toBeNull()
    expect(device.state().attempt?.phase).toBe('installing')
    server.plan.offer = null
    fill(join(device.config.persistent_directory, 'staging/unpacked/0'))
    const { ended, output } = launch(device)
    await ended
    expectRolledBack(device)
    expect(device.file('app'), output()).toBe('old')
  })

  const changeFile = (device: AgentSetup, name: string, changes: object) => {
    const path = join(device.config.persistent_directory, name)
    writeFileSync(path, JSON.stringify({ ...(JSON.parse(readFileSync(path, 'utf8')) as object), ...changes }))
  }

  it('carries out commands on a full disk, also while its attributes change', async () => {
    const device = small()
    expect(await launch(device).ended).toBe(0)
    changeFile(device, 'state.json', { attributes_hash: '0'.repeat(64) })
    fill(join(device.config.persistent_directory, 'other'))
    server.plan.commands = [{ id: newId(), command: 'collect_diagnostics', args: {} }]
    await launch(device).ended
    expect(server.seen.commands.map(({ body }) => body.state)).toEqual(['done'])
    expect(server.seen.attributes).toHaveLength(2)
  })

  it('requests no new token that it could not store, and goes on with the old one', async () => {
    const device = small()
    expect(await launch(device).ended).toBe(0)
    changeFile(device, 'identity.json', { enrolled_at_ms: 0 })
    fill(join(device.config.persistent_directory, 'other'))
    let requests = 0
    server.plan.beforeToken = () => void requests++
    const { ended, output } = launch(device)
    expect(await ended, output()).toBe(0)
    expect(requests).toBe(0)
    rmSync(join(device.config.persistent_directory, 'other'))
    expect(await launch(device).ended).toBe(0)
    expect(requests).toBe(1)
  })

  it('continues without a restart once a disk that another program has filled has space again', async () => {
    await offer({ files: [{ bytes: 'new', location: '/app' }], hooks: { post_install: 'kill -9 $PPID' } })
    const device = small()
    oldFile(device, '/app')
    expect(await launch(device).ended).toBeNull()
    server.plan.offer = null
    const other = join(device.config.persistent_directory, '../other')
    fill(other)
    const one = launch(device, { once: false })
    await expect.poll(one.output, { timeout: within(10_000) }).toContain('ENOSPC')
    rmSync(other)
    await server.until(() => server.types().includes('rollback_completed'))
    expect(one.child.exitCode).toBeNull()
    expect(device.file('app')).toBe('old')
  })
})
