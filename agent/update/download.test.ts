import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SigningKey } from '../../contract/device/private-key'
import { repetitions } from '../../tests/support/counts'
import { mountSmallDisk } from '../../tests/support/small-disk'
import { randomOf } from '../simulate/random'
import type { Connection } from '../api-client/http'
import { type DeviceServer, deviceServer } from '../testing/device-server'
import { newKey, release } from '../testing/releases'
import { download, type Options } from './download'

let server: DeviceServer, key: SigningKey, connection: Connection, folder: string
beforeAll(async () => {
  server = await deviceServer()
  key = await newKey()
  server.devices.set('dvc_test', { id: 'x', serial: 'x', publicKey: undefined, provedMs: 0 })
  connection = { origin: server.url, timeoutMs: 5000, token: () => 'dvc_test' }
})
afterAll(() => server.close())
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'teasel-download-'))
  Object.assign(server.plan, { cuts: [], spoil: null, ignoreRange: false, refuse: null })
  server.seen.ranges.splice(0)
})

const wantedOf = async (bytes: Buffer) => {
  server.plan.offer = await release(key, { version: 1, files: [{ bytes, location: '/x' }] })
  const { path, size, sha256 } = server.plan.offer.manifest.files[0]!
  return { path, size, sha256 }
}
const options = (changes: Partial<Options> = {}): Options => ({
  retries: 3,
  firstDelayMs: 0,
  signal: new AbortController().signal,
  onResumed: () => {},
  onBytes: () => {},
  ...changes,
})

describe('F-11 a download', () => {
  it('survives a cut at any byte', async () => {
    const bytes = randomBytes(1024)
    const wanted = await wantedOf(bytes)
    const step = repetitions(8, 1)
    for (let after = 0; after <= bytes.length; after += step) {
      const target = join(folder, String(after))
      server.plan.cuts = [{ after }]
      await download(connection, wanted, target, options())
      if (!readFileSync(target).equals(bytes)) expect.fail(`cut at ${after}`)
    }
    // Rarely by the whole file again: only where a cut lost the bytes that came just before it.
    expect(server.seen.ranges.filter(Boolean).length).toBeGreaterThan(512 / step)
  })

  it('survives many cuts at random bytes, and its progress never goes back', async () => {
    const bytes = randomBytes(1_500_000)
    const wanted = await wantedOf(bytes)
    const random = randomOf(11, 'cuts')
    server.plan.cuts = Array.from({ length: 25 }, () => ({ after: random.whole(1, 80_000) }))
    let last = 0
    const target = join(folder, 'image')
    await download(
      connection,
      wanted,
      target,
      options({ onBytes: (done) => (expect(done).toBeGreaterThanOrEqual(last), (last = done)) }),
    )
    expect(readFileSync(target).equals(bytes)).toBe(true)
    expect(server.seen.ranges).toHaveLength(26)
  })

  it('continues the download where a killed process stopped', async () => {
    const bytes = randomBytes(10_000)
    const wanted = await wantedOf(bytes)
    const target = join(folder, 'image')
    writeFileSync(`${target}.part`, bytes.subarray(0, 7777))
    const resumed: number[] = []
    await download(connection, wanted, target, options({ onResumed: (done) => void resumed.push(done) }))
    expect(resumed).toEqual([7777])
    expect(server.seen.ranges).toEqual(['bytes=7777-'])
    expect(readFileSync(target).equals(bytes)).toBe(true)
    await download(connection, wanted, target, options())
    expect(server.seen.ranges).toHaveLength(1)
  })

  it.each([
    ['spoiled', () => Buffer.alloc(500, 0)],
    ['longer than the whole', (bytes: Buffer) => Buffer.concat([bytes, bytes])],
    ['as long as the whole and wrong', (bytes: Buffer) => Buffer.alloc(bytes.length, 1)],
  ])('fetches once more what is %s on the disk', async (_, spoil: (bytes: Buffer) => Buffer) => {
    const bytes = randomBytes(2000)
    const wanted = await wantedOf(bytes)
    const target = join(folder, 'image')
    writeFileSync(`${target}.part`, spoil(bytes))
    await download(connection, wanted, target, options())
    expect(readFileSync(target).equals(bytes)).toBe(true)
  })

  it('restarts the download with a server that does not support ranges', async () => {
    const bytes = randomBytes(2000)
    const wanted = await wantedOf(bytes)
    server.plan.ignoreRange = true
    server.plan.cuts = [{ after: 900 }]
    await download(connection, wanted, join(folder, 'image'), options())
    expect(readFileSync(join(folder, 'image')).equals(bytes)).toBe(true)
  })

  it.each([
    ['another content', 'hash_mismatch', (bytes: Buffer) => Buffer.from(bytes.map((byte) => byte ^ 1))],
    ['endless data', 'download_incomplete', (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(1)])],
  ] as const)('refuses %s and leaves nothing that could be installed', async (_, code, spoil) => {
    const wanted = await wantedOf(randomBytes(2000))
    server.plan.spoil = spoil
    const target = join(folder, 'image')
    await expect(download(connection, wanted, target, options())).rejects.toMatchObject({ code })
    expect(existsSync(target)).toBe(false)
  })

  it('gives up after the configured tries without a byte', async () => {
    const wanted = await wantedOf(randomBytes(2000))
    server.plan.cuts = Array.from({ length: 10 }, () => ({ after: 0 }))
    await expect(download(connection, wanted, join(folder, 'image'), options())).rejects.toMatchObject({ code: 'network_error' })
    expect(server.seen.ranges).toHaveLength(4)
  })

  it.each([
    [404, 'download_incomplete'],
    [410, 'download_incomplete'],
  ])('does not try again after %i', async (status, code) => {
    const wanted = await wantedOf(randomBytes(2000))
    server.plan.refuse = { path: /assets/, status, code: 'gone' }
    await expect(download(connection, wanted, join(folder, 'image'), options())).rejects.toMatchObject({ code })
  })

  it('stops when it is aborted and keeps the received bytes', async () => {
    const bytes = randomBytes(200_000)
    const wanted = await wantedOf(bytes)
    const stop = new AbortController()
    server.plan.cuts = [{ after: 100_000 }]
    const target = join(folder, 'image')
    // Bytes still unread when the connection broke are lost: exactly the counted bytes are kept.
    let kept = 0
    const onResumed = (done: number) => ((kept = done), stop.abort())
    await expect(download(connection, wanted, target, options({ signal: stop.signal, onResumed }))).rejects.toMatchObject({
      name: 'Aborted',
    })
    expect(kept).toBeGreaterThan(0)
    expect(readFileSync(`${target}.part`).equals(bytes.subarray(0, kept))).toBe(true)
  })
})

it.skipIf(!mountSmallDisk.works)('a download whose last bytes do not fit on the disk is no whole one', async () => {
  const disk = mountSmallDisk(64)
  const target = join(disk.path, 'whole')
  try {
    // The last page of the disk takes a part of the last piece.
    const wanted = await wantedOf(randomBytes(64 * 1024 - 1000))
    writeFileSync(join(disk.path, 'other'), 'x')
    await expect(download(connection, wanted, target, options())).rejects.toThrow('ENOSPC')
    expect(existsSync(target)).toBe(false)
  } finally {
    disk.unmount()
  }
})
