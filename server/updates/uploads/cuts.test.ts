import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createConnection } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { eq, inArray } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { release } from '../../../contract/updates/releases'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { isFull, repetitions } from '../../../tests/support/counts'
import '../../../tests/support/fixed-seed'
import type { Person } from '../../../tests/support/people'
import { createReleaseFixture } from '../../../tests/support/release-fixture'
import { storeUnderTest, unfinishedIn } from '../../../tests/support/stores'
import { startApiProcess } from '../../../tests/support/start-api-process'
import { createUpload, endUpload, offsetOf, sendBytes, uploadFile } from '../../../tests/support/upload-file'
import { incomingOf } from '../../core/storage/directory-incoming'
import { openStorage } from '../../core/storage/open-storage'
import { assets, uploads } from '../schema/releases'
import { sweepUploads } from './sweep'
import { within } from '../../../tests/support/machine-load'

let api: TestApi
let ines: Person
let maker: Awaited<ReturnType<typeof createReleaseFixture>>
let port: number
let variables: Record<string, string>
/** How many bytes of an upload have arrived, by its id. */
const received = new Map<string, number>()
const { kind } = storeUnderTest()

beforeAll(async () => {
  variables = await storeUnderTest().variables()
  api = await createTestApi(variables)
  const storage = await openStorage(api.config.storage)
  const incoming = incomingOf({ ...api.deps, storage })
  const append: typeof incoming.append = async (key, at) => {
    const appender = await incoming.append(key, at)
    received.set(key, at.offset)
    const write: typeof appender.write = (chunk) => {
      received.set(key, (received.get(key) ?? 0) + chunk.length)
      return appender.write(chunk)
    }
    return { ...appender, write }
  }
  api.deps.storage = { ...storage, incoming: { ...incoming, append } }
  ines = await api.person()
  maker = await createReleaseFixture(api, ines, await api.project({ ownerId: ines.id }))
  await api.app.listen({ port: 0, host: '127.0.0.1' })
  port = (api.app.server.address() as AddressInfo).port
})
afterAll(() => api.close())

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const hostOf = (at: TestApi) => new URL(at.config.urls.api).host

const head = (location: string, offset: number, length: number) =>
  [
    `PATCH ${location} HTTP/1.1`,
    `Host: ${hostOf(api)}`,
    'Tus-Resumable: 1.0.0',
    `X-Session-Token: ${ines.token}`,
    'Content-Type: application/offset+octet-stream',
    `Upload-Offset: ${offset}`,
    `Content-Length: ${length}`,
    '',
    '',
  ].join('\r\n')

const idOf = (location: string) => location.split('/').at(-1) ?? ''
const sizeOf = (location: string) => incomingOf(api.deps).size(idOf(location))

type Cut = { offset: number; bytes: Buffer; how: 'at once' | 'politely' | 'rudely'; announced?: number }

/** Announces 512 (or `announced`) bytes, sends fewer, and closes the connection: at once, or when the sent bytes have arrived. */
const cut = async (location: string, { offset, bytes, how, announced = 512 }: Cut) => {
  const socket = createConnection(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.resume()
  await once(socket, 'connect')
  socket.write(Buffer.concat([Buffer.from(head(location, offset, announced)), bytes]))
  if (how !== 'at once')
    await expect
      .poll(() => received.get(idOf(location)) ?? 0, { interval: 2, timeout: within(20_000) })
      .toBe(offset + bytes.length)
  if (how === 'rudely') socket.resetAndDestroy()
  else socket.end()
  if (!socket.closed) await once(socket, 'close')
}

const told = async (location: string) => Number((await offsetOf(api, ines, location)).headers['upload-offset'])

it(
  'F-11: cut at any byte of 512 B pieces, the server reports neither more bytes than it has nor fewer than it acknowledged',
  async () => {
    const bytes = randomBytes(4096)
    const { assetId, releaseId } = await maker.draft({ version: 1, bytes })
    const edges = Array.from({ length: 8 }, (_, n) => [n * 512, n * 512 + 1, n * 512 + 511]).flat()
    const some = [...new Set([...edges, ...Array.from({ length: 60 }, (_, n) => n * 67 + 3), 4095])].filter((at) => at < 4096)
    const every = isFull ? Array.from({ length: 4096 }, (_, at) => at) : some
    // Each cut takes ten requests to a bucket.
    const positions = kind === 'directory' ? every : some.filter((_, n) => n % repetitions(28, 1) === 0)
    for (const [n, position] of positions.entries()) {
      const made = await createUpload(api, ines, assetId, { size: 4096 })
      const location = String(made.headers.location)
      const piece = Math.floor(position / 512) * 512
      if (piece > 0)
        expect((await sendBytes(api, ines, location, 0, bytes.subarray(0, piece))).headers['upload-offset']).toBe(String(piece))
      const how = (['politely', 'rudely', 'at once'] as const)[n % 3] ?? 'at once'
      await cut(location, { offset: piece, bytes: bytes.subarray(piece, position), how })
      const offset = await told(location)
      expect(offset).toBeGreaterThanOrEqual(piece)
      expect(offset).toBeLessThanOrEqual(position)
      if (how !== 'at once') expect(offset).toBe(position)
      expect(await sizeOf(location)).toBe(offset)
      if (n % 20 !== 0) await endUpload(api, ines, location)
      else {
        expect((await sendBytes(api, ines, location, offset, bytes.subarray(offset))).statusCode).toBe(204)
        const [asset] = (await api.call(release, { releaseId }, { as: ines })).body.assets
        expect(asset).toMatchObject({ state: 'ready', sha256: sha256(bytes) })
        await api.db.execute(`update assets set state = 'expected', storage_key = null, sha256 = null where id = '${assetId}'`)
      }
    }
  },
  repetitions(240_000, 1_800_000),
)

it('F-16, F-17: an API killed while it receives has never acknowledged more bytes than are on the disk', async () => {
  // A bucket has stored what fills a part of 8 MiB.
  const step = (kind === 'directory' ? 2 : 8) * 1024 * 1024
  const rounds = repetitions(kind === 'directory' ? 2 : 1, 4)
  const size = 3 * rounds * step
  const bytes = randomBytes(size)
  // The process uses the real clock: its session and its uploads must be valid by it.
  const ahead = (Date.now() - api.deps.clock().getTime()) / 1000
  api.advance(ahead)
  Object.assign(ines, await api.session(ines.id))
  const { assetId, releaseId } = await maker.draft({ version: 2, bytes })
  const made = await createUpload(api, ines, assetId, { size })
  const location = String(made.headers.location)
  let acknowledged = 0
  for (let round = 0; round < rounds; round++) {
    const { child, port: own } = await startApiProcess(api, variables)
    const socket = createConnection(own, '127.0.0.1')
    socket.on('error', () => {})
    await once(socket, 'connect')
    const from = acknowledged
    socket.write(head(location, from, size - from))
    const sendUntil = async (end: number, start: number) => {
      for (let at = start; at < end; at += 65_536) if (!socket.write(bytes.subarray(at, at + 65_536))) await once(socket, 'drain')
    }
    // Kills the process while it receives, after the file has grown.
    const grown = from + 2 * step
    await sendUntil(from + step, from)
    await expect.poll(() => sizeOf(location), { timeout: within(60_000) }).toBeGreaterThan(from)
    await sendUntil(grown, from + step)
    child.kill('SIGKILL')
    await once(child, 'exit')
    socket.destroy()
    const offset = await told(location)
    expect(offset).toBeGreaterThanOrEqual(acknowledged)
    expect(offset).toBeLessThanOrEqual(grown)
    acknowledged = offset
  }
  expect(acknowledged).toBeGreaterThan(0)
  expect((await sendBytes(api, ines, location, acknowledged, bytes.subarray(acknowledged))).statusCode).toBe(204)
  const [asset] = (await api.call(release, { releaseId }, { as: ines })).body.assets
  expect(asset).toMatchObject({ state: 'ready', sha256: sha256(bytes) })
  expect(sha256(await buffer(await api.deps.storage.read(idOf(location))))).toBe(sha256(bytes))
})

it(
  'T-15: uploads that end at a random byte leave no file and no open row after the sweep, and take less than 150 MiB of memory',
  { timeout: within(600_000) },
  async () => {
    // Several chunks of a socket, so that a cut can hit a partially written one.
    const size = 262_144
    const bytes = randomBytes(size)
    const { assetId, releaseId } = await maker.draft({ version: 3, bytes })
    const ids: string[] = []
    const before = process.memoryUsage.rss()
    let most = before
    let total = 0
    const place = fc.record({
      start: fc.nat({ max: size - 1 }),
      end: fc.nat({ max: size - 1 }),
      how: fc.constantFrom('at once' as const, 'politely' as const, 'rudely' as const),
    })
    const aborted = fc.asyncProperty(place, async ({ start, end, how }) => {
      const made = await createUpload(api, ines, assetId, { size })
      expect(made.statusCode, made.payload).toBe(201)
      const location = String(made.headers.location)
      const id = location.split('/').at(-1) ?? ''
      ids.push(id)
      const [from, to] = [Math.min(start, end), Math.max(start, end)]
      if (from > 0) expect((await sendBytes(api, ines, location, 0, bytes.subarray(0, from))).statusCode).toBe(204)
      await cut(location, { offset: from, bytes: bytes.subarray(from, to), how, announced: size - from })
      total += to
      most = Math.max(most, process.memoryUsage.rss())
      // The file of the release is free for the next upload, while the row of this one stays open, for another file.
      await api.db.update(uploads).set({ targetId: id }).where(eq(uploads.id, id))
      await api.db.update(assets).set({ state: 'expected' }).where(eq(assets.id, assetId))
    })
    await fc.assert(aborted, { numRuns: kind === 'directory' ? repetitions(20, 500) : repetitions(4, 60) })
    expect(total).toBeGreaterThan(size)
    expect((await unfinishedIn(api)).filter((id) => ids.includes(id))).toHaveLength(ids.length)

    api.advance(7 * 86_400)
    expect((await sweepUploads(api.deps)).expired).toBeGreaterThanOrEqual(ids.length)
    most = Math.max(most, process.memoryUsage.rss())
    // The server may still be reading the last of the connections, and then removes what it wrote.
    await expect.poll(() => unfinishedIn(api)).toEqual([])
    const rows = await api.db
      .select({ state: uploads.state, offset: uploads.offset })
      .from(uploads)
      .where(inArray(uploads.id, ids))
    expect(rows).toEqual(ids.map(() => ({ state: 'expired', offset: 0 })))
    expect((most - before) / 2 ** 20).toBeLessThan(150)

    // The server is still usable: the same file can be uploaded completely.
    Object.assign(ines, await api.session(ines.id))
    await uploadFile(api, ines, assetId, bytes)
    const [asset] = (await api.call(release, { releaseId }, { as: ines })).body.assets
    expect(asset).toMatchObject({ state: 'ready', sha256: sha256(bytes) })
  },
)
