import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { toBase64 } from '../contract/device/bytes'
import type { SigningKey } from '../contract/device/private-key'
import { bootAs, buildAgent, type AgentSetup, setUpAgent, type Running, start } from './testing/agent-process'
import { type DeviceServer, deviceServer } from './testing/device-server'
import { newId, newKey, type Plan, project, type Release, release } from './testing/releases'
import { within } from '../tests/support/machine-load'

let agent: string, key: SigningKey, stranger: SigningKey, server: DeviceServer
const running: Running[] = []
const launch = ({ configPath }: Pick<AgentSetup, 'configPath'>, ...more: string[]) => {
  const one = start(agent, ['--config', configPath, ...more])
  running.push(one)
  return one
}

beforeAll(async () => {
  agent = await buildAgent()
  key = await newKey()
  stranger = await newKey()
})
beforeEach(async () => {
  server = await deviceServer()
})
afterEach(async () => {
  for (const one of running.splice(0)) await one.kill('SIGKILL')
  await server.close()
  expect(server.seen.problems).toEqual([])
})

const aRelease = (plan: Partial<Plan> = {}, by = key) =>
  release(by, { version: 5, files: [{ bytes: 'evil', location: '/app' }], ...plan })
const past = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().replace(/\.\d+Z/, '+00:00')
const altered = async () => {
  const { envelope } = await aRelease()
  const text = Buffer.from(envelope.payload, 'base64').toString('utf8').replace('"version":5', '"version":6')
  return { ...envelope, payload: toBase64(new TextEncoder().encode(text)) }
}

describe('T-17 the built agent keeps its installed release and reports the reason code', () => {
  const cases: [string, string, () => Promise<unknown>][] = [
    ['a forged payload', 'signature_invalid', altered],
    ['the signature of another key', 'key_unknown', async () => (await aRelease({}, stranger)).envelope],
    [
      'an expired manifest',
      'manifest_expired',
      async () => (await aRelease({ created_at: past(60), expires_at: past(1) })).envelope,
    ],
    ['a replayed older version', 'version_not_newer', async () => (await aRelease({ version: 3 })).envelope],
    ['the installed version again', 'version_not_newer', async () => (await aRelease({ version: 4 })).envelope],
    ['another project', 'hardware_mismatch', async () => (await aRelease({ project_id: newId() })).envelope],
    ['another model', 'hardware_mismatch', async () => (await aRelease({ hardware_models: ['cam-rk3566'] })).envelope],
    [
      'a rollback number below the burned one',
      'rollback_protection',
      async () => (await aRelease({ rollback_version: 1 })).envelope,
    ],
    ['something that is no envelope', 'signature_invalid', async () => ({ version: 9 })],
    ['a payload that is not base 64', 'signature_invalid', async () => ({ ...(await aRelease()).envelope, payload: '***' })],
  ]

  it.each(cases)('%s: %s', async (_, code, envelope) => {
    const device = setUpAgent(server, [key.publicKey])
    server.plan.offer = await release(key, { version: 4, rollback_version: 2, files: [{ bytes: 'good', location: '/app' }] })
    expect(await launch(device, '--once').ended).toBe(0)
    server.seen.events.splice(0)

    server.plan.envelope = await envelope()
    const { ended, output } = launch(device, '--once')
    expect(await ended, output()).toBe(3)
    expect(server.types()).toEqual(['verification_failed'])
    expect(server.seen.events[0]).toMatchObject({ reason_code: code })
    expect(device.file('app')).toBe('good')
    expect(device.state()).toMatchObject({ attempt: null, installed: { version: 4, confirmed: true } })
    expect(existsSync(join(device.config.persistent_directory, 'staging'))).toBe(false)
  })

  it('says what a refused manifest claimed only when its signature was good', async () => {
    const device = setUpAgent(server, [key.publicKey])
    server.plan.envelope = (await aRelease({}, stranger)).envelope
    expect(await launch(device, '--once').ended).toBe(3)
    expect(server.seen.events[0]).toMatchObject({ release_id: null, version: null })
  })

  it('defers an update whose file the server has found damaged, and does not count it as failed', async () => {
    const device = setUpAgent(server, [key.publicKey])
    server.plan.offer = await aRelease()
    server.plan.refuse = { path: /assets/, status: 410, code: 'damaged' }
    const { ended, output } = launch(device, '--once')
    expect(await ended, output()).toBe(1)
    expect(server.types().at(-1)).toBe('update_deferred')
    expect(server.seen.events.at(-1)).toMatchObject({ reason_code: 'download_incomplete', message: 'Refused: damaged' })
    expect(device.state()).toMatchObject({ attempt: null, installed: null })
  })

  it.each<[string, (offer: Release) => void, string]>([
    [
      'other bytes than were signed',
      () => void (server.plan.spoil = (bytes) => Buffer.from(bytes.map((byte) => byte ^ 1))),
      'hash_mismatch',
    ],
    [
      'more bytes than were signed',
      () => void (server.plan.spoil = (bytes) => Buffer.concat([bytes, bytes])),
      'download_incomplete',
    ],
    [
      'bytes that are gone',
      () => void (server.plan.refuse = { path: /assets/, status: 410, code: 'revoked' }),
      'download_incomplete',
    ],
  ])('installs nothing of %s', async (_, spoil, code) => {
    const device = setUpAgent(server, [key.publicKey])
    mkdirSync(device.root, { recursive: true })
    writeFileSync(join(device.root, 'app'), 'old')
    server.plan.offer = await aRelease()
    spoil(server.plan.offer)
    expect(await launch(device, '--once').ended).not.toBe(0)
    expect(device.file('app')).toBe('old')
    expect(server.seen.events.at(-1)).toMatchObject({ reason_code: code })
  })

  it('T-17 believes the date of its server when its own clock is behind', async () => {
    const device = setUpAgent(server, [key.publicKey])
    server.plan.offer = await aRelease()
    server.plan.timeMs = Date.parse(server.plan.offer.manifest.expires_at) + 1000
    expect(await launch(device, '--once').ended).toBe(3)
    expect(server.seen.events[0]).toMatchObject({ reason_code: 'manifest_expired' })
  })

  it('uses the project of its configuration instead of the one that the server names', async () => {
    const device = setUpAgent(server, [key.publicKey], { project_id: newId() })
    server.plan.offer = await aRelease({ project_id: project })
    expect(await launch(device, '--once').ended).toBe(3)
    expect(server.seen.events[0]).toMatchObject({ reason_code: 'hardware_mismatch' })
  })

  it('says before the download that a rootfs needs slots', async () => {
    const device = setUpAgent(server, [key.publicKey])
    server.plan.offer = await aRelease({ type: 'rootfs', files: [{ kind: 'rootfs', bytes: 'image' }] })
    expect(await launch(device, '--once').ended).toBe(3)
    expect(server.seen.events.at(-1)).toMatchObject({ type: 'update_cancelled', reason_code: 'hardware_mismatch' })
    expect(server.seen.ranges).toEqual([])
    expect(server.seen.enrollments[0]?.attributes).toMatchObject({ installs: 'files' })
  })

  it('says before the download that a slot takes an image, and files are not for this device', async () => {
    const slots = { a: join(mkdtempSync(join(tmpdir(), 'teasel-raw-')), 'a'), b: '/dev/null' }
    const device = setUpAgent(server, [key.publicKey], { update_mode: 'ab_rootfs', slots })
    server.plan.offer = await aRelease()
    expect(await launch(device, '--once').ended).toBe(3)
    expect(server.seen.events.at(-1)).toMatchObject({
      type: 'update_cancelled',
      message: 'Not for this device: The release is of type file, and this device writes whole images',
    })
    expect([server.seen.ranges, server.seen.enrollments[0]?.attributes]).toEqual([
      [],
      expect.objectContaining({ installs: 'images' }),
    ])
  })
})

describe('T-18 the built agent and its token', () => {
  it('ends with 4 when it is decommissioned', async () => {
    const device = setUpAgent(server, [key.publicKey])
    expect(await launch(device, '--once').ended).toBe(0)
    server.plan.refuse = { path: /check_in/, status: 403, code: 'decommissioned' }
    expect(await launch(device).ended).toBe(4)
  })

  it('enrolls again as the same device with proof of its key when its token is no longer valid', async () => {
    const device = setUpAgent(server, [key.publicKey])
    expect(await launch(device, '--once').ended).toBe(0)
    const [before] = server.devices.values()
    if (!before) throw new Error('nothing is enrolled')
    server.devices.clear()
    server.devices.set('dvc_other', before)
    const one = launch(device)
    await server.until(() => server.seen.enrollments.length === 2)
    await one.kill('SIGTERM')
    expect([...server.devices.values()]).toEqual([{ ...before, provedMs: expect.any(Number) as number }])
  })

  it('cannot enroll under the serial number of another device', async () => {
    const first = setUpAgent(server, [key.publicKey])
    const serial = join(first.folder, 'serial')
    writeFileSync(serial, 'SN-0001\n')
    const config = { identity_path: serial }
    expect(await launch(setUpAgent(server, [key.publicKey], config), '--once').ended).toBe(0)
    const second = launch(setUpAgent(server, [key.publicKey], config), '--once')
    expect(await second.ended).toBe(1)
    expect(second.output()).toContain('serial_exists')
    expect(server.devices.size).toBe(1)
  })

  it('goes on polling, without a token of its own to fall back on', async () => {
    const device = setUpAgent(server, [key.publicKey], {
      enrollment_token: undefined,
      device_id: newId(),
      device_token: `dvc_${'x'.repeat(49)}`,
    })
    const one = launch(device, '--once')
    expect(await one.ended).toBe(1)
    expect(one.output()).toContain('401')
    expect(one.output()).toContain('issue a new one in the console, put it into device.json and restart')
  })

  it('goes on asking while it is rejected, since a person may bring it back', async () => {
    const device = setUpAgent(server, [key.publicKey])
    expect(await launch(device, '--once').ended).toBe(0)
    server.plan.refuse = { path: /check_in/, status: 403, code: 'rejected' }
    expect(await launch(device, '--once').ended).toBe(1)
    server.plan.refuse = null
    expect(await launch(device, '--once').ended).toBe(0)
    expect(server.seen.enrollments).toHaveLength(1)
  })
})

describe('commands', () => {
  it('are carried out and answered', async () => {
    const device = setUpAgent(server, [key.publicKey])
    server.plan.commands = [
      { id: newId(), command: 'collect_diagnostics', args: {} },
      { id: newId(), command: 'send_logs', args: {} },
      { id: newId(), command: 'dance', args: {} },
      { id: newId(), command: 'check_now', args: {} },
    ]
    expect(await launch(device, '--once').ended).toBe(0)
    expect(server.seen.commands.map(({ body }) => body.state)).toEqual(['done', 'done', 'failed', 'done'])
    expect(JSON.parse(server.seen.commands[0]?.body.output ?? '')).toMatchObject({ update_mode: 'file', installed: null })
    expect(JSON.stringify(server.seen.commands)).not.toMatch(/dvc_|enr_/)
    expect(server.seen.updates).toBe(1)
  })

  it('restart the agent once', async () => {
    const device = setUpAgent(server, [key.publicKey])
    server.plan.commands = [{ id: newId(), command: 'reboot', args: {} }]
    const one = launch(device)
    await server.until(() => new Set(server.seen.checkIns.map(({ boot_id }) => boot_id)).size === 2)
    await server.until(() => server.seen.commands.length === 1)
    expect(server.seen.commands).toMatchObject([{ body: { state: 'done', output: 'Restarted' } }])
    expect(await one.kill('SIGTERM')).toBe(0)
  })

  it('to restart are done when the device runs in another boot, and failed when it does not', async () => {
    const device = setUpAgent(server, [key.publicKey], { reboot_command: 'true' })
    const boots = [bootAs(randomUUID()), bootAs(randomUUID())] as const
    const sent = [newId(), newId()]
    // A process that is killed before it has read the answer reports a result once more in the next one.
    const states = () => [...new Map(server.seen.commands.map(({ id, body }) => [id, body.state]))]
    const run = async (boot: readonly string[], isDone: () => boolean) => {
      const one = start(agent, ['--config', device.configPath], undefined, boot)
      running.push(one)
      await expect.poll(isDone, { timeout: within(60_000) }).toBe(true)
      await one.kill('SIGKILL')
      server.hangUp()
    }
    const isKept = () =>
      existsSync(device.config.persistent_directory) && server.seen.checkIns.length > 0 && device.state().restarts?.length === 1
    server.plan.commands = [{ id: sent[0]!, command: 'reboot', args: {} }]
    await run(boots[0], isKept)
    expect(states()).toEqual([])
    await run(boots[0], () => states().length === 1)
    server.plan.commands = [{ id: sent[1]!, command: 'reboot', args: {} }]
    await run(boots[0], isKept)
    await run(boots[1], () => states().length === 2)
    expect(states()).toEqual([
      [sent[0], 'failed'],
      [sent[1], 'done'],
    ])
  })
})

describe('commands, which the server sends once,', () => {
  const commands = (...names: string[]) => names.map((command) => ({ id: newId(), command, args: {} }))
  const answers = () => server.seen.commands.map(({ id, body }) => [id, body.state] as const)

  it('are all carried out when their results cannot be sent, which are sent later, also after a restart', async () => {
    const device = setUpAgent(server, [key.publicKey])
    const sent = commands('collect_diagnostics', 'dance', 'reboot', 'check_now')
    server.plan.commands = [...sent]
    server.plan.refuse = { path: /commands/, status: 503, code: 'unavailable' }
    const one = launch(device)
    await server.until(() => new Set(server.seen.checkIns.map(({ boot_id }) => boot_id)).size === 2)
    server.plan.refuse = null
    await server.until(() => server.seen.commands.length === 4)
    expect(await one.kill('SIGTERM')).toBe(0)
    // That of the restart is the last: it waits for the next boot.
    expect(new Map(answers())).toEqual(new Map(sent.map(({ id, command }) => [id, command === 'dance' ? 'failed' : 'done'])))
    expect(device.state().command_results).toBeUndefined()
  })

  it('are carried out later when the round that received them fails', async () => {
    const device = setUpAgent(server, [key.publicKey])
    const sent = commands('collect_diagnostics', 'check_now')
    server.plan.commands = [...sent]
    server.plan.refuse = { path: /attributes/, status: 503, code: 'unavailable' }
    launch(device)
    await server.until(() => server.seen.refusedAt.length > 0)
    server.plan.refuse = null
    await server.until(() => server.seen.commands.length === 2)
    expect(answers()).toEqual(sent.map(({ id }) => [id, 'done']))
  })

  it('are carried out although the server takes no reports of updates', async () => {
    const device = setUpAgent(server, [key.publicKey])
    server.plan.refuse = { path: /update_events/, status: 503, code: 'unavailable' }
    server.plan.offer = await aRelease()
    await launch(device, '--once').ended
    expect(device.state().events.length).toBeGreaterThan(0)
    server.plan.commands = commands('collect_diagnostics')
    await launch(device, '--once').ended
    expect(answers().map(([, state]) => state)).toEqual(['done'])
  })

  it('are not answered again and again when the server does not know them', async () => {
    const device = setUpAgent(server, [key.publicKey])
    server.plan.commands = commands('collect_diagnostics', 'check_now')
    server.plan.refuse = { path: /commands/, status: 404, code: 'not_found' }
    expect(await launch(device, '--once').ended).toBe(0)
    expect(server.seen.refusedAt).toHaveLength(2)
    expect(device.state().command_results).toBeUndefined()
  })
})

describe('an impossible start', () => {
  it.each([
    ['no file', (path: string) => writeFileSync(path, ''), 'JSON'],
    [
      'an unknown key',
      (path: string, config: object) => writeFileSync(path, JSON.stringify({ ...config, color: 1 })),
      'color: Color is not a known field',
    ],
    [
      'no keys',
      (path: string, config: object) => writeFileSync(path, JSON.stringify({ ...config, public_keys: [] })),
      'public_keys',
    ],
  ])('ends with 2 and says why: %s', async (_, spoil, words) => {
    const device = setUpAgent(server, [key.publicKey])
    spoil(device.configPath, device.config)
    const { ended, output } = launch(device)
    expect(await ended).toBe(2)
    expect(output()).toContain(words)
  })

  it('F-22 is refused while another agent runs on the same state, and possible right after that is killed', async () => {
    const device = setUpAgent(server, [key.publicKey])
    const first = launch(device)
    await server.until(() => server.seen.checkIns.length > 0)
    const second = launch(device, '--once')
    expect(await second.ended).toBe(1)
    expect(second.output()).toContain('Another agent is running')
    await first.kill('SIGKILL')
    expect(await launch(device, '--once').ended).toBe(0)
  })

  it('refuses to start with an unreadable state instead of replacing it', async () => {
    const device = setUpAgent(server, [key.publicKey])
    expect(await launch(device, '--once').ended).toBe(0)
    writeFileSync(join(device.config.persistent_directory, 'state.json'), '{"schema":1')
    const { ended, output } = launch(device, '--once')
    expect(await ended).toBe(1)
    expect(output()).toContain('moved aside')
  })
})
