import { randomBytes } from 'node:crypto'
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { project as projectEndpoint } from '../../../contract/accounts/projects'
import { deleteProject } from '../../../contract/accounts/project-changes'
import { createAsset, deleteAsset } from '../../../contract/updates/release-assets'
import { deleteRelease, release } from '../../../contract/updates/releases'
import { planLimits } from '../../../contract/accounts/plan-limits'
import type { TestApi } from '../../../tests/support/api'
import type { Person } from '../../../tests/support/people'
import { createReleaseFixture } from '../../../tests/support/release-fixture'
import { createStoringApi, runsEveryCase, storedIn, storeUnderTest, unfinishedIn } from '../../../tests/support/stores'
import { createUpload, sendBytes, uploadFile } from '../../../tests/support/upload-file'
import { assets, uploads } from '../schema/releases'
import { countPlanUsage } from '../../overview/plan-usage.repository'
import { incomingOf } from '../../core/storage/directory-incoming'
import type { ArtifactStorage } from '../../core/deps'
import { sweepUploads } from './sweep'

const DAY = 86_400
let api: TestApi
let ines: Person
let projectId: string
let maker: Awaited<ReturnType<typeof createReleaseFixture>>
let version = 1
const { kind } = storeUnderTest()

// The times of objects cannot be set: those that the bucket lists are replaced.
let bucketTime: Date | undefined
type Listed = AsyncIterable<{ key: string; writtenAt: Date }>
async function* withTime(keys: Listed): Listed {
  for await (const { key, writtenAt } of keys) yield { key, writtenAt: bucketTime ?? writtenAt }
}
const dated = (storage: ArtifactStorage): ArtifactStorage => {
  const incoming = incomingOf({ ...api.deps, storage })
  return {
    ...storage,
    list: () => withTime(storage.list?.() ?? incoming.list()),
    incoming: { ...incoming, list: () => withTime(incoming.list()) },
  }
}

beforeAll(async () => {
  api = await createStoringApi()
  if (kind === 's3') api.deps.storage = dated(api.deps.storage)
  ines = await api.person({ plan: 'developer' })
  projectId = await api.project({ ownerId: ines.id })
  maker = await createReleaseFixture(api, ines, projectId)
})
afterAll(() => api.close())

const stored = () => storedIn(api)
const parts = () => unfinishedIn(api)
const used = async () => (await countPlanUsage(api.db, { kind: 'user', id: ines.id })).storage_bytes
/** Times of files are those of this machine, not those of the test's clock. */
const setTimes = async (time: Date) => {
  bucketTime = time
  const folder = api.config.dataDirectory
  const files = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const file of files) if (file.isFile()) await utimes(join(file.parentPath, file.name), time, time)
}
const old = () => setTimes(new Date(api.deps.clock().getTime() - 2 * DAY * 1000))
const idOf = (location: string) => location.split('/').at(-1) ?? ''

const half = async (by = maker) => {
  const made = await by.draft({ version: version++, bytes: randomBytes(4000) })
  const answer = await createUpload(api, ines, made.assetId, { size: 4000 })
  const location = String(answer.headers.location)
  expect((await sendBytes(api, ines, location, 0, randomBytes(2000))).statusCode).toBe(204)
  return { ...made, location }
}
const removeRelease = async (releaseId: string) => {
  const { revision } = (await api.call(release, { releaseId }, { as: ines })).body
  return (await api.call(deleteRelease, { releaseId }, { as: ines, headers: { 'if-match': `"${revision}"` } })).status
}

describe('the bytes of an upload in progress', () => {
  it('are counted once while it is open, and deleted with its file', async () => {
    const before = await used()
    const { releaseId, assetId, location } = await half()
    expect((await used()) - before).toBe(4000)
    expect((await api.call(deleteAsset, { releaseId, assetId }, { as: ines })).status).toBe(204)
    expect(await parts()).not.toContain(idOf(location))
    expect(await used()).toBe(before)
  })

  it.runIf(runsEveryCase())('are deleted with its release, and no more are accepted', async () => {
    const before = await used()
    const { releaseId, location } = await half()
    expect(await removeRelease(releaseId)).toBe(204)
    expect(await parts()).not.toContain(idOf(location))
    expect((await sendBytes(api, ines, location, 2000, randomBytes(2000))).statusCode).toBe(410)
    expect(await used()).toBe(before)
  })

  it.runIf(runsEveryCase())('are deleted with its project', async () => {
    const other = await api.project({ ownerId: ines.id }, 'Orchard')
    const tools = await createReleaseFixture(api, ines, other)
    const begun = [await half(tools), await half(tools), await half(tools)]
    const { revision } = (await api.call(projectEndpoint, { projectId: other }, { as: ines })).body
    const headers = { 'if-match': `"${revision}"` }
    const body = { confirm_name: 'Orchard' }
    expect((await api.call(deleteProject, { projectId: other }, { as: ines, body, headers })).status).toBe(204)
    const left = await parts()
    expect(begun.filter(({ location }) => left.includes(idOf(location)))).toEqual([])
  })

  it.runIf(runsEveryCase())('that arrive after its file was deleted are discarded', async () => {
    const { releaseId, assetId, location } = await half()
    let deleted: Promise<{ status: number }> | undefined
    const payload = Readable.from(
      (async function* () {
        yield randomBytes(1000)
        deleted = api.call(deleteAsset, { releaseId, assetId }, { as: ines })
        await deleted
        yield randomBytes(1000)
      })(),
    )
    expect((await sendBytes(api, ines, location, 2000, payload)).statusCode).toBeGreaterThanOrEqual(400)
    expect((await deleted)?.status).toBe(204)
    expect(await parts()).not.toContain(idOf(location))
  })
})

describe('the quota', () => {
  it.runIf(runsEveryCase())('counts a deleted file until its bytes are swept', async () => {
    const before = await used()
    const bytes = randomBytes(3000)
    const { releaseId, assetId } = await maker.draft({ version: version++, bytes })
    await uploadFile(api, ines, assetId, bytes)
    expect((await used()) - before).toBe(3000)
    expect((await api.call(deleteAsset, { releaseId, assetId }, { as: ines })).status).toBe(204)
    expect((await used()) - before).toBe(3000)
    await old()
    await sweepUploads(api.deps)
    expect(await used()).toBe(before)
  })

  it.runIf(runsEveryCase())('cannot be bypassed by deleting the files of uploads', async () => {
    const { releaseId, assetId, location } = await half()
    // Bytes on disk for a file that was deleted.
    await api.db
      .update(uploads)
      .set({ state: 'failed', offset: planLimits.developer.storage_bytes })
      .where(eq(uploads.id, idOf(location)))
    await api.db.delete(assets).where(eq(assets.id, assetId))
    const body = { name: 'next.bin', kind: 'payload' as const, size: 10, install_location: '/opt/next' }
    const next = await api.call(createAsset, { releaseId }, { as: ines, body })
    const refused = await createUpload(api, ines, next.body.id, { size: 10 })
    expect([refused.statusCode, refused.json().error.code]).toEqual([507, 'no_space'])
    await sweepUploads(api.deps)
    expect((await createUpload(api, ines, next.body.id, { size: 10 })).statusCode).toBe(201)
  })
})

describe('the sweep', () => {
  it.runIf(runsEveryCase())('ends an upload whose file is missing, and removes its bytes', async () => {
    const { assetId, location } = await half()
    await api.db.delete(assets).where(eq(assets.id, assetId))
    expect((await sweepUploads(api.deps)).expired).toBe(1)
    expect(await parts()).not.toContain(idOf(location))
  })

  it.runIf(runsEveryCase())('removes the bytes of an ended upload whose process died before it could', async () => {
    const { location } = await half()
    await api.db
      .update(uploads)
      .set({ state: 'failed' })
      .where(eq(uploads.id, idOf(location)))
    await sweepUploads(api.deps)
    expect(await parts()).not.toContain(idOf(location))
    const [row] = await api.db
      .select()
      .from(uploads)
      .where(eq(uploads.id, idOf(location)))
    expect(row?.offset).toBe(0)
  })

  it('keeps bytes without a row for a day, and no longer', async () => {
    await incomingOf(api.deps).begin('01J00000000000000000000000')
    await setTimes(api.deps.clock())
    await sweepUploads(api.deps)
    expect(await parts()).toContain('01J00000000000000000000000')
    await old()
    await sweepUploads(api.deps)
    expect(await parts()).not.toContain('01J00000000000000000000000')
  })

  it('never removes bytes in use: open uploads, files of releases, and bytes stored before their row', async () => {
    const bytes = randomBytes(500)
    const open = await half()
    const kept = await maker.draft({ version: version++, bytes })
    const keptKey = idOf(await uploadFile(api, ines, kept.assetId, bytes))
    // A process that died between the file and its row: all bytes are in the storage, the upload is open.
    const died = await maker.draft({ version: version++, bytes })
    const identity = { fingerprint: 'a'.repeat(64) }
    const location = String((await createUpload(api, ines, died.assetId, { size: 500, ...identity })).headers.location)
    expect((await sendBytes(api, ines, location, 0, bytes, identity)).statusCode).toBe(204)
    await incomingOf(api.deps).finish(idOf(location))
    await old()
    await sweepUploads(api.deps)
    expect(await parts()).toContain(idOf(open.location))
    expect(await stored()).toEqual(expect.arrayContaining([keptKey, idOf(location)]))
    const sha256 = Buffer.from(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes))).toString('hex')
    const named = await sendBytes(api, ines, location, 500, Buffer.alloc(0), { sha256 })
    expect(named.statusCode, named.payload).toBe(204)
    expect((await api.call(release, { releaseId: died.releaseId }, { as: ines })).body.assets[0]?.state).toBe('ready')
  })

  it('leaves files of others alone, and removes what comes after them', async () => {
    const unused = '01J00000000000000000000ZZZ'
    const foreign = ['backup-2026', 'logo', '0123456789abcdef0123456789abcdef']
    for (const key of [...foreign, unused]) await api.deps.storage.write(key, Readable.from([randomBytes(10)]))
    if (kind === 'directory') {
      const { dataDirectory, uploadsDirectory } = api.config
      for (const folder of [join(dataDirectory, 'artifacts', '00'), uploadsDirectory]) {
        await mkdir(folder, { recursive: true })
        for (const name of ['.nfs0000000000000001', 'README.txt']) await writeFile(join(folder, name), randomBytes(10))
      }
      foreign.push('.nfs0000000000000001', 'README.txt')
    } else await incomingOf(api.deps).begin('logo')
    await old()
    await sweepUploads(api.deps)
    expect(await stored()).toEqual(expect.arrayContaining(foreign))
    expect(await stored()).not.toContain(unused)
    expect(await parts()).toEqual(expect.arrayContaining(kind === 'directory' ? foreign.slice(-2) : ['logo']))
  })

  // An object appears complete or not at all.
  it.runIf(kind === 'directory')('removes what a process left in the storage that died while it wrote', async () => {
    const bytes = randomBytes(10)
    const kept = await maker.draft({ version: version++, bytes })
    const key = idOf(await uploadFile(api, ines, kept.assetId, bytes))
    await writeFile(join(api.config.dataDirectory, 'artifacts', key.slice(-2), `${key}.0123456789ab.part`), bytes)
    await old()
    await sweepUploads(api.deps)
    expect((await stored()).filter((name) => name.startsWith(key))).toEqual([key])
  })
})

it.runIf(runsEveryCase())(
  'one file that cannot be removed does not keep others, and the job fails so that the log names it',
  async () => {
    for (let n = 0; n < 2; n++) {
      const bytes = randomBytes(100)
      const { releaseId, assetId } = await maker.draft({ version: version++, bytes })
      await uploadFile(api, ines, assetId, bytes)
      expect(await removeRelease(releaseId)).toBe(204)
    }
    await old()
    const before = (await stored()).length
    const storage = api.deps.storage
    let refused: string | undefined
    const remove = async (key: string) => {
      refused ??= key
      if (key === refused) throw new Error(`EACCES: permission denied, unlink '${key}'`)
      await storage.remove(key)
    }
    await expect(sweepUploads({ ...api.deps, storage: { ...storage, remove } })).rejects.toThrow('could not be removed')
    expect(await stored()).toHaveLength(before - 1)
    await sweepUploads(api.deps)
    expect(await stored()).toHaveLength(before - 2)
  },
)
