import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ArtifactStorage } from '../deps'
import { storeUnderTest } from '../../../tests/support/stores'
import { readConfig } from '../config'
import { incomingOf } from './directory-incoming'
import { openStorage } from './open-storage'

let directory: string
let storage: ArtifactStorage
const { kind, variables } = storeUnderTest()

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'teasel-storage-'))
  storage = await openStorage(readConfig({ TEASEL_STORAGE: directory, ...(await variables()) }).storage)
})
const keysIn = async () => {
  const keys: string[] = []
  for await (const { key } of storage.list?.() ?? []) keys.push(key)
  return keys
}
afterEach(() => rm(directory, { recursive: true, force: true }))

// The same in every run, because answers are recorded.
const pattern = (size: number) => Buffer.from(Buffer.alloc(size).map((_, n) => n % 251))
const bytes = pattern(300_000)
const stream = () => Readable.from([bytes.subarray(0, 65_536), bytes.subarray(65_536)])

it('T-16: returns the size and hash of what it wrote, and the same bytes', async () => {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  expect(await storage.write('01HZX', stream())).toEqual({ size: bytes.length, sha256 })
  expect((await buffer(await storage.read('01HZX'))).equals(bytes)).toBe(true)
  expect(await storage.size('01HZX')).toBe(bytes.length)
})

it('reads a range, both ends included', async () => {
  await storage.write('01HZX', stream())
  expect((await buffer(await storage.read('01HZX', { start: 10, end: 19 }))).equals(bytes.subarray(10, 20))).toBe(true)
})

it('F-11: an interrupted stream leaves nothing behind and keeps the existing file', async () => {
  await storage.write('01HZX', stream())
  const broken = Readable.from(
    (async function* () {
      yield bytes.subarray(0, 1000)
      throw new Error('cut')
    })(),
  )
  await expect(storage.write('01HZX', broken)).rejects.toThrow('cut')
  expect((await buffer(await storage.read('01HZX'))).equals(bytes)).toBe(true)
  expect(await keysIn()).toEqual(['01HZX'])
  if (kind === 'directory') expect(await readdir(join(directory, 'ZX'))).toEqual(['01HZX'])
})

it('F-11: a file that arrives in pieces has the bytes of all, and each piece is stored when it is told', async () => {
  const config = readConfig({ TEASEL_DATA_DIR: directory, TEASEL_STORAGE: directory })
  const incoming = incomingOf({ config, storage })
  const key = '01HZX000000000000000000000'
  const whole = pattern(20_000_000)
  await incoming.begin(key)
  expect(await incoming.size(key)).toBe(0)
  for (const [offset, end] of [
    [0, 3_000_000],
    [3_000_000, 3_000_001],
    [3_000_001, 13_000_000],
    [13_000_000, 20_000_000],
  ] as const) {
    // A new one each time, as after the end of a process.
    const appender = await incoming.append(key, { offset, size: whole.length })
    for (let at = offset; at < end; at += 65_536) await appender.write(whole.subarray(at, Math.min(at + 65_536, end)))
    await appender.flush()
    expect([await appender.end(), await incoming.size(key)]).toEqual([end, end])
  }
  expect(await storage.size(key)).toBeUndefined()
  await incoming.finish(key)
  expect([await incoming.size(key), await storage.size(key)]).toEqual([0, whole.length])
  expect((await buffer(await storage.read(key))).equals(whole)).toBe(true)
})

it('what is left of a file that does not arrive completely is listed and removed', async () => {
  const incoming = incomingOf({ config: readConfig({ TEASEL_DATA_DIR: directory, TEASEL_STORAGE: directory }), storage })
  const key = '01HZX000000000000000000000'
  await incoming.begin(key)
  const appender = await incoming.append(key, { offset: 0, size: 10 })
  await appender.write(Buffer.from('half'))
  await appender.flush()
  expect(await appender.end()).toBe(4)
  const left = async () => {
    const keys = []
    for await (const one of incoming.list()) keys.push(one.key)
    return keys
  }
  expect(await left()).toEqual([key])
  await incoming.remove(key)
  expect([await left(), await incoming.size(key)]).toEqual([[], 0])
})

it('does not list uploads in progress in a folder beside the artifacts', async () => {
  await storage.write('01HZX', stream())
  await mkdir(join(directory, 'uploads'))
  await writeFile(join(directory, 'uploads', '01HZY.part'), 'half')
  const id = '01HZY000000000000000000000'
  await storage.incoming?.begin(id)
  const appender = await storage.incoming?.append(id, { offset: 0, size: 8 })
  await appender?.write(Buffer.from('half'))
  await appender?.flush()
  expect(await keysIn()).toEqual(['01HZX'])
})

it('reports a missing file as missing', async () => {
  expect(await storage.size('01HZY')).toBeUndefined()
  await expect(storage.read('01HZY')).rejects.toThrow(kind === 'directory' ? 'ENOENT' : 'NoSuchKey')
  await storage.remove('01HZY')
})

it.each(['../secret', 'a/b', '', '.hidden', 'a\0b'])('T-15: refuses the key %j', async (key) => {
  await expect(storage.write(key, stream())).rejects.toThrow('a storage key is')
})
