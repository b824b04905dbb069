import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { project as projectEndpoint } from '../../../contract/projects'
import { deleteProject } from '../../../contract/project-changes'
import { createAsset, deleteAsset } from '../../../contract/release-assets'
import { deleteRelease, release } from '../../../contract/releases'
import { planLimits } from '../../../contract/plan-limits'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import type { Person } from '../../../tests/support/people'
import { createReleaseFixture } from '../../../tests/support/release-fixture'
import { createUpload, sendBytes, uploadFile } from '../../../tests/support/upload-file'
import { assets, uploads } from '../schema/releases'
import { directoryStorage } from '../../core/storage/directory'
import { countPlanUsage } from '../../overview/plan-usage.repository'
import { incomingOf } from '../../core/storage/directory-incoming'
import { sweepUploads } from './sweep'

const DAY = 86_400
let api: TestApi
let directory: string
let ines: Person
let projectId: string
let maker: Awaited<ReturnType<typeof createReleaseFixture>>
let version = 1

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'teasel-sweep-'))
  api = await createTestApi()
  api.deps.storage = directoryStorage(directory)
  ines = await api.person({ plan: 'developer' })
  projectId = await api.project({ ownerId: ines.id })
  maker = await createReleaseFixture(api, ines, projectId)
})
afterAll(async () => {
  await api.close()
  await rm(directory, { recursive: true, force: true })
})

const parts = () => readdir(api.config.uploadsDirectory).catch((): string[] => [])
const stored = async () =>
  (await readdir(directory, { recursive: true, withFileTypes: true })).filter((one) => one.isFile()).map(({ name }) => name)
const used = async () => (await countPlanUsage(api.db, { kind: 'user', id: ines.id })).storage_bytes
/** File times are those of this machine, not those of the test's clock. */
const old = async () => {
  const long = new Date(api.deps.clock().getTime() - 2 * DAY * 1000)
  const files = await readdir(directory, { recursive: true, withFileTypes: true })
  for (const file of files) if (file.isFile()) await utimes(join(file.parentPath, file.name), long, long)
  for (const name of await parts()) await utimes(join(api.config.uploadsDirectory, name), long, long)
}
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
    expect(await parts()).not.toContain(`${idOf(location)}.part`)
    expect(await used()).toBe(before)
  })

  it('are deleted with its release, and no more are accepted', async () => {
    const before = await used()
    const { releaseId, location } = await half()
    expect(await removeRelease(releaseId)).toBe(204)
    expect(await parts()).not.toContain(`${idOf(location)}.part`)
    expect((await sendBytes(api, ines, location, 2000, randomBytes(2000))).statusCode).toBe(410)
    expect(await used()).toBe(before)
  })

  it('are deleted with its project', async () => {
    const other = await api.project({ ownerId: ines.id }, 'Orchard')
    const tools = await createReleaseFixture(api, ines, other)
    const begun = [await half(tools), await half(tools), await half(tools)]
    const { revision } = (await api.call(projectEndpoint, { projectId: other }, { as: ines })).body
    const headers = { 'if-match': `"${revision}"` }
    const body = { confirm_name: 'Orchard' }
    expect((await api.call(deleteProject, { projectId: other }, { as: ines, body, headers })).status).toBe(204)
    const left = await parts()
    expect(begun.filter(({ location }) => left.includes(`${idOf(location)}.part`))).toEqual([])
  })

  it('that arrive after its file was deleted are discarded', async () => {
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
    expect(await parts()).not.toContain(`${idOf(location)}.part`)
  })
})

describe('the quota', () => {
  it('counts a deleted file until its bytes are swept', async () => {
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

  it('cannot be bypassed by deleting the files of uploads', async () => {
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
  it('ends an upload whose file is missing, and removes its bytes', async () => {
    const { assetId, location } = await half()
    await api.db.delete(assets).where(eq(assets.id, assetId))
    expect((await sweepUploads(api.deps)).expired).toBe(1)
    expect(await parts()).not.toContain(`${idOf(location)}.part`)
  })

  it('removes the bytes of an ended upload whose process died before it could', async () => {
    const { location } = await half()
    await api.db
      .update(uploads)
      .set({ state: 'failed' })
      .where(eq(uploads.id, idOf(location)))
    await sweepUploads(api.deps)
    expect(await parts()).not.toContain(`${idOf(location)}.part`)
    const [row] = await api.db
      .select()
      .from(uploads)
      .where(eq(uploads.id, idOf(location)))
    expect(row?.offset).toBe(0)
  })

  it('keeps bytes without a row for a day, and no longer', async () => {
    await incomingOf(api.deps).begin('01J00000000000000000000000')
    const now = api.deps.clock()
    const path = join(api.config.uploadsDirectory, '01J00000000000000000000000.part')
    await utimes(path, now, now)
    await sweepUploads(api.deps)
    expect(await parts()).toContain('01J00000000000000000000000.part')
    await old()
    await sweepUploads(api.deps)
    expect(await parts()).not.toContain('01J00000000000000000000000.part')
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
    const part = join(api.config.uploadsDirectory, `${idOf(location)}.part`)
    await api.deps.storage.adopt?.(idOf(location), part)
    await old()
    await sweepUploads(api.deps)
    expect(await parts()).toContain(`${idOf(open.location)}.part`)
    expect(await stored()).toEqual(expect.arrayContaining([keptKey, idOf(location)]))
    const sha256 = Buffer.from(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes))).toString('hex')
    const named = await sendBytes(api, ines, location, 500, Buffer.alloc(0), { sha256 })
    expect(named.statusCode, named.payload).toBe(204)
    expect((await api.call(release, { releaseId: died.releaseId }, { as: ines })).body.assets[0]?.state).toBe('ready')
  })

  it('removes what a process left in the storage that died while it wrote', async () => {
    const bytes = randomBytes(10)
    const kept = await maker.draft({ version: version++, bytes })
    const key = idOf(await uploadFile(api, ines, kept.assetId, bytes))
    await writeFile(join(directory, key.slice(-2), `${key}.0123456789ab.part`), bytes)
    await old()
    await sweepUploads(api.deps)
    expect((await stored()).filter((name) => name.startsWith(key))).toEqual([key])
  })
})
