import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { release } from '../../../contract/updates/releases'
import { createAsset } from '../../../contract/updates/release-assets'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import type { Person } from '../../../tests/support/people'
import { createReleaseFixture } from '../../../tests/support/release-fixture'
import { mountSmallDisk } from '../../../tests/support/small-disk'
import { createUpload, endUpload, sendBytes } from '../../../tests/support/upload-file'

const MIB = 1024 * 1024
let api: TestApi
let ines: Person
let maker: Awaited<ReturnType<typeof createReleaseFixture>>
let version = 1
let limit: number

beforeAll(async () => {
  api = await createTestApi()
  limit = api.config.limits.freeBytes
  ines = await api.person()
  maker = await createReleaseFixture(api, ines, await api.project({ ownerId: ines.id }))
})
afterAll(() => api.close())
beforeEach(() => {
  delete api.deps.diskSpace
  api.config.limits.freeBytes = limit
})

const leave = (free: number) => void (api.deps.diskSpace = async () => ({ free, total: 0 }))

const expected = async (count: number, size: number) => {
  const { releaseId } = await maker.draft({ version: version++, bytes: randomBytes(1) })
  const ids = []
  for (let n = 0; n < count; n++) {
    const body = { name: `part-${n}.bin`, kind: 'payload' as const, size, install_location: `/opt/part-${n}` }
    ids.push((await api.call(createAsset, { releaseId }, { as: ines, body })).body.id)
  }
  return { ids, releaseId }
}

describe('F-19: free space', () => {
  it('is reserved once: of six concurrent files of 250 MiB, one fits into 344 MiB', async () => {
    const { ids } = await expected(6, 250 * MIB)
    leave(limit + 344 * MIB)
    const answers = await Promise.all(ids.map((id) => createUpload(api, ines, id, { size: 250 * MIB })))
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([201, 507, 507, 507, 507, 507])
    const refused = answers.find(({ statusCode }) => statusCode === 507)?.json().error
    expect(refused).toMatchObject({ code: 'no_space', about: { free: 94 * MIB, size: 250 * MIB } })
    const begun = answers.find(({ statusCode }) => statusCode === 201)
    await endUpload(api, ines, String(begun?.headers.location))
    const again = await createUpload(api, ines, ids.find((_, n) => answers[n]?.statusCode === 507) ?? '', { size: 250 * MIB })
    expect(again.statusCode).toBe(201)
    await endUpload(api, ines, String(again.headers.location))
  })

  it('that has fallen below the limit refuses bytes too, and accepts them when it is sufficient again', async () => {
    const bytes = randomBytes(1000)
    const { ids, releaseId } = await expected(1, bytes.length)
    const made = await createUpload(api, ines, ids[0] ?? '', { size: bytes.length })
    const location = String(made.headers.location)
    leave(limit - 1)
    const refused = await sendBytes(api, ines, location, 0, bytes)
    expect([refused.statusCode, refused.json().error.code]).toEqual([507, 'no_space'])
    leave(limit)
    expect((await sendBytes(api, ines, location, 0, bytes)).statusCode).toBe(204)
    const { assets } = (await api.call(release, { releaseId }, { as: ines })).body
    expect(assets.find(({ id }) => id === ids[0])?.state).toBe('ready')
  })
})

describe.skipIf(!mountSmallDisk.works)('F-19: a disk that is full', () => {
  it('answers 507 to bytes that do not fit, keeps those that did, and the API continues', async () => {
    const disk = mountSmallDisk(256)
    const before = api.config.uploadsDirectory
    try {
      Object.assign(api.config, { uploadsDirectory: disk.path })
      api.config.limits.freeBytes = 0
      // Reported and usable space differ where others write at the same time.
      leave(10 * MIB)
      const bytes = randomBytes(400_000)
      const { ids } = await expected(1, bytes.length)
      const made = await createUpload(api, ines, ids[0] ?? '', { size: bytes.length })
      expect(made.statusCode, made.payload).toBe(201)
      const refused = await sendBytes(api, ines, String(made.headers.location), 0, bytes)
      expect([refused.statusCode, refused.json().error.code]).toEqual([507, 'no_space'])
      expect((await endUpload(api, ines, String(made.headers.location))).statusCode).toBe(204)
      expect((await api.app.inject({ url: '/readyz' })).statusCode).toBe(200)
    } finally {
      Object.assign(api.config, { uploadsDirectory: before })
      disk.unmount()
    }
  })
})
