import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SigningKey } from '../contract/device/private-key'
import { pemOf } from '../contract/device/public-key'
import { classes, fleetOf } from './simulate/classes'
import { outcomeOf } from './simulate/outcomes'
import { randomOf } from './simulate/random'
import { signalsOf } from './simulate/signals'
import { buildAgent, type Running, start } from './testing/agent-process'
import { type DeviceServer, deviceServer } from './testing/device-server'
import { newKey, release } from './testing/releases'

const people = (seed: string, count: number) => fleetOf(seed, count, classes, (name) => randomOf(seed, name))

describe('a seed', () => {
  it('makes the same fleet each time, and a larger one begins with it', () => {
    expect(people('7', 20)).toEqual(people('7', 20))
    expect(people('7', 40).slice(0, 20)).toEqual(people('7', 20))
    expect(people('8', 20)).not.toEqual(people('7', 20))
    expect(new Set(people('7', 2000).map(({ serial }) => serial)).size).toBe(2000)
  })

  it('keeps the shares of the classes', () => {
    const fleet = people('7', 20)
    const counts = classes.map(({ id }) => fleet.filter(({ kind }) => kind.id === id).length)
    expect(counts).toEqual([8, 4, 3, 4, 1])
  })

  it('mixes the outcomes as described, and a bad release fails far more often', () => {
    const random = randomOf('7', 'outcomes')
    const share = (isBad: boolean) =>
      Array.from({ length: 5000 }, () => outcomeOf(random, isBad)).filter((one) => one === 'success' || one === 'resumed')
        .length / 5000
    expect(share(false)).toBeGreaterThan(0.93)
    expect(share(true)).toBeLessThan(0.68)
  })

  it('gives signals that repeat and stay within what they measure', () => {
    for (const kind of classes) {
      const series = () => {
        const signals = signalsOf(kind, randomOf('7', kind.id), 1_700_000_000_000)
        return Array.from({ length: 500 }, (_, at) => signals.at(1_700_000_000_000 + at * 300_000).readings)
      }
      expect(series()).toEqual(series())
      for (const { name, unit, value } of series().flat())
        if (unit === '%') expect(value, name).toSatisfy((it: number) => it >= 0 && it <= 100)
    }
  })
})

describe('the built fleet', () => {
  let fleet: string, key: SigningKey, server: DeviceServer
  const running: Running[] = []
  beforeAll(async () => {
    fleet = await buildAgent('fleet')
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

  const launch = (more: string[]) => {
    const folder = mkdtempSync(join(tmpdir(), 'teasel-fleet-'))
    const keyPath = join(folder, 'key.pem')
    writeFileSync(keyPath, pemOf(key.publicKey))
    const fixed = [
      '--server',
      server.url,
      '--enrollment-token',
      server.enrollmentToken,
      '--public-key',
      keyPath,
      '--state',
      join(folder, 'state'),
    ]
    const one = start(fleet, [...fixed, '--classes', 'gateway', '--speed', '600', '--metrics-interval', '1', ...more])
    running.push(one)
    return { one, state: join(folder, 'state') }
  }

  it('enrolls, reports, takes a signed release by its real bytes, and stops when asked', async () => {
    server.plan.offer = await release(key, { version: 5, files: [{ bytes: Buffer.alloc(200_000, 3), location: '/app' }] })
    const { one, state } = launch(['--devices', '2', '--outcome', 'resumed'])
    await server.until(
      () =>
        server.types().filter((type) => type === 'update_confirmed').length === 2 &&
        server.seen.metrics.length > 0 &&
        server.seen.logs.length > 0,
    )
    expect(await one.kill('SIGTERM'), one.output()).toBe(0)
    expect(server.types()).toContain('download_resumed')
    expect(server.seen.ranges.filter(Boolean)).toHaveLength(2)
    expect(readdirSync(state).filter((name) => name.endsWith('.json'))).toHaveLength(2)
  })

  it('lets every device check in before it sends its past, and poll on while the server takes no lines', async () => {
    server.plan.refuse = { path: /\/logs$/, status: 429, code: 'rate_limited', retryAfter: '60' }
    launch(['--devices', '3', '--backfill', '24', '--metrics-interval', '3600', '--fastest-poll', '1'])
    const counts = () => [...server.devices.keys()].map((token) => server.seen.tokens.filter((one) => one === token).length)
    await server.until(() => server.seen.refusedAt.length > 0)
    expect(server.seen.tokens.length).toBeGreaterThan(0)
    await server.until(() => counts().filter((count) => count > 2).length === 3)
    expect(server.seen.logs).toEqual([])
  })

  it.each([
    ['hook_fails', 'rollback_completed', 'post_install_failed'],
    ['boot_fails', 'rollback_completed', 'boot_failed'],
    ['old_keys', 'verification_failed', 'key_unknown'],
    ['no_space', 'update_failed', 'no_space'],
  ])('simulates the outcome %s to its end', async (outcome, type, code) => {
    server.plan.offer = await release(key, { version: 5, files: [{ bytes: 'x', location: '/app' }] })
    launch(['--devices', '1', '--outcome', outcome])
    await server.until(() => server.types().some((one) => one === type))
    const last = server.seen.events.find((event) => event.type === type)
    expect(last).toMatchObject({ reason_code: code })
    expect(server.types()).not.toContain('update_confirmed')
  })

  it('returns to an older version that the installed manifest lists, and to no other', async () => {
    const older = await release(key, { version: 3, files: [{ bytes: 'x', location: '/app' }] })
    server.plan.offer = await release(key, { version: 5, may_return_to: [3], files: [{ bytes: 'y', location: '/app' }] })
    launch(['--devices', '1', '--outcome', 'success'])
    const confirmed = () => server.seen.events.filter(({ type }) => type === 'update_confirmed').map(({ version }) => version)
    await server.until(() => confirmed().length === 1)
    server.plan.offer = older
    await server.until(() => confirmed().length === 2)
    expect(confirmed()).toEqual([5, 3])
    server.plan.offer = await release(key, { version: 2, files: [{ bytes: 'z', location: '/app' }] })
    await server.until(() => server.types().includes('verification_failed'))
    expect(confirmed()).toEqual([5, 3])
  })

  it('refuses bytes that are not the signed ones', async () => {
    server.plan.offer = await release(key, { version: 5, files: [{ bytes: 'xxxx', location: '/app' }] })
    server.plan.spoil = (bytes) => Buffer.from(bytes.map((byte) => byte ^ 1))
    launch(['--devices', '1', '--outcome', 'success'])
    await server.until(() => server.types().includes('update_failed'))
    expect(server.seen.events.find(({ type }) => type === 'update_failed')).toMatchObject({ reason_code: 'hash_mismatch' })
  })
})
