import { createHash, randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ArtifactStorage } from '../deps'
import { storeUnderTest } from '../../../tests/support/stores'
import { readConfig } from '../config'
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

const bytes = randomBytes(300_000)
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
