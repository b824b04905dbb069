import { createHash, randomBytes } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { mkdtemp, open, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { TestApi } from '../../tests/support/api'
import { createDatabase } from '../../tests/support/database'
import { createReleaseFixture } from '../../tests/support/release-fixture'
import { createStoringApi, runsEveryCase, storedIn, storeUnderTest } from '../../tests/support/stores'
import { uploadFile } from '../../tests/support/upload-file'
import { type Config, readConfig } from '../core/config'
import { lockDirectory } from '../core/database/lock'
import { openStorage } from '../core/storage/open-storage'
import { backUp } from './back-up'
import { copyFiles } from './copy-files'
import { restore } from './restore'

let api: TestApi
let directory: string
let target: Config['storage']
const bytes = [randomBytes(100_000), randomBytes(9_000_000), randomBytes(1)]
const keys: string[] = []
const said: string[] = []
const say = (text: string) => void said.push(text)

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'teasel-copies-'))
  api = await createStoringApi()
  target = readConfig({ TEASEL_STORAGE: join(directory, 'target'), ...(await storeUnderTest().variables()) }).storage
  const ines = await api.person()
  const maker = await createReleaseFixture(api, ines, await api.project({ ownerId: ines.id }))
  for (const [n, content] of bytes.entries()) {
    const { assetId } = await maker.draft({ version: n + 1, bytes: content })
    keys.push((await uploadFile(api, ines, assetId, content)).split('/').at(-1) ?? '')
  }
})
afterAll(async () => {
  await api.close()
  await rm(directory, { recursive: true, force: true })
})

const hashOf = (content: Buffer) => createHash('sha256').update(content).digest('hex')
const hashesIn = async (config: Config['storage']) => {
  const storage = await openStorage(config)
  return Promise.all(keys.map(async (key) => hashOf(await buffer(await storage.read(key)))))
}

it('copies the files of releases into another storage, mends what an interrupted copy left, and back again', async () => {
  const [first = '', second = ''] = keys
  const other = await openStorage(target)
  // As left by a copy that was interrupted, or changed since.
  await other.write(second, Readable.from([bytes[1]?.subarray(0, 4_000_000) ?? '']))
  expect(await copyFiles(api.config, target, say)).toEqual({ copied: 3, present: 0, failed: [] })
  await other.write(first, Readable.from([randomBytes(100_000)]))
  expect(await copyFiles(api.config, target, say)).toEqual({ copied: 1, present: 2, failed: [] })
  expect(await hashesIn(target)).toEqual(bytes.map(hashOf))
  const back = { kind: 'directory' as const, path: join(directory, 'back') }
  const all = { copied: 3, present: 0, failed: [] }
  expect(await copyFiles({ ...api.config, storage: target }, back, say)).toEqual(all)
  expect(await hashesIn(back)).toEqual(bytes.map(hashOf))
})

it.runIf(runsEveryCase())('does not copy a damaged file, and names it', async () => {
  const path = join(directory, 'damaged')
  const [first = '', ...others] = keys
  await copyFiles(api.config, { kind: 'directory', path }, say)
  await writeFile(join(path, first.slice(-2), first), randomBytes(100_000))
  const next = { kind: 'directory' as const, path: join(directory, 'next') }
  const from = { ...api.config, storage: { kind: 'directory' as const, path } }
  expect(await copyFiles(from, next, say)).toEqual({ copied: 2, present: 0, failed: [first] })
  expect(said).toContain(`not copied, because it is missing or damaged: ${first}`)
  const copied = await openStorage(next)
  expect(await Promise.all([first, ...others].map((key) => copied.size(key)))).toEqual([undefined, 9_000_000, 1])
})

it('refuses to copy a storage into itself', async () => {
  await expect(copyFiles(api.config, api.config.storage, say)).rejects.toThrow('name another storage')
})

it('a backup contains the stored files, and is restored into the same and another kind of storage', async () => {
  const at = join(directory, 'backup')
  await backUp({ ...api.config, databaseOwnerUrl: api.ownerUrl }, at, say)
  for (const storage of [readConfig(await storeUnderTest().variables()).storage, undefined]) {
    const database = await createDatabase({ bare: true })
    const dataDirectory = await mkdtemp(join(directory, 'data-'))
    const place = storage?.kind === 's3' ? storage : { kind: 'directory' as const, path: join(dataDirectory, 'artifacts') }
    const config = {
      ...api.config,
      dataDirectory,
      databaseUrl: database.url,
      databaseOwnerUrl: database.ownerUrl,
      storage: place,
    }
    try {
      await restore(config, at, say)
      expect(await hashesIn(place)).toEqual(bytes.map(hashOf))
      expect(await storedIn({ ...api, deps: { ...api.deps, storage: await openStorage(place) } })).toEqual(keys.toSorted())
    } finally {
      await database.drop()
    }
  }
})

it.runIf(runsEveryCase())(
  'a backup fails while the directory of the files is absent, such as one that is not mounted',
  async () => {
    const at = join(directory, 'without-files')
    const storage = { kind: 'directory' as const, path: join(directory, 'not-mounted') }
    const config = { ...api.config, databaseOwnerUrl: api.ownerUrl, storage }
    await expect(backUp(config, at, say)).rejects.toThrow('not-mounted')
    expect((await readdir(directory)).filter((name) => name.startsWith('without-files'))).toEqual([])
  },
)

it.runIf(runsEveryCase())(
  'a backup names the files that the storage lacks with what needs them, and restores everything else',
  async () => {
    const storage = { kind: 'directory' as const, path: await mkdtemp(join(directory, 'empty-')) }
    const config = { ...api.config, databaseOwnerUrl: api.ownerUrl, storage }
    const at = join(directory, 'with-losses')
    const { lost, files } = await backUp(config, at, say)
    expect(lost.map(({ key }) => key).toSorted()).toEqual(keys.toSorted())
    for (const key of keys) expect(said.join('\n')).toMatch(new RegExp(`backup: ${key}, .+ of release .+ in project .+`))
    expect(said.join('\n')).toContain('from an older backup, or delete what needs it')
    const database = await createDatabase({ bare: true })
    try {
      const dataDirectory = await mkdtemp(join(directory, 'data-'))
      const place = { kind: 'directory' as const, path: join(dataDirectory, 'artifacts') }
      await restore(
        { ...config, dataDirectory, databaseUrl: database.url, databaseOwnerUrl: database.ownerUrl, storage: place },
        at,
        say,
      )
    } finally {
      await database.drop()
    }
    // A former storage, which `--copy-files` leaves as it is, belongs to no backup.
    expect(files.filter(({ path }) => path.includes('/artifacts/'))).toEqual([])
  },
)

it.runIf(runsEveryCase())(
  'a backup whose database cannot be opened leaves no folder, so that the command can be repeated',
  async () => {
    const dataDirectory = await mkdtemp(join(directory, 'data-'))
    const config = readConfig({ TEASEL_DATA_DIR: dataDirectory })
    const lock = await lockDirectory(dataDirectory)
    const at = join(directory, 'refused')
    for (let attempt = 1; attempt <= 2; attempt++) await expect(backUp(config, at, say)).rejects.toThrow('is in use by')
    await lock.release()
    expect((await readdir(directory)).filter((name) => name.startsWith('refused'))).toEqual([])
  },
)

it.runIf(process.platform === 'linux' && runsEveryCase())(
  'a backup has succeeded only once its manifest and its folder are synced to disk',
  async () => {
    const file = await open('/dev/null')
    const handles = Object.getPrototypeOf(file) as typeof file
    await file.close()
    const synced: string[] = []
    const watching = vi.spyOn(handles, 'sync').mockImplementation(function (this: typeof file) {
      synced.push(readlinkSync(`/proc/self/fd/${this.fd}`))
      return this.datasync()
    })
    const at = join(directory, 'synced')
    await backUp({ ...api.config, databaseOwnerUrl: api.ownerUrl }, at, say).finally(() => watching.mockRestore())
    expect(synced.slice(-3)).toEqual([join(`${at}.part`, 'manifest.json'), `${at}.part`, directory])
  },
)
