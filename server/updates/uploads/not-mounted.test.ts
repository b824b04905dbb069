import { randomBytes } from 'node:crypto'
import { access, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import type { Person } from '../../../tests/support/people'
import { createReleaseFixture } from '../../../tests/support/release-fixture'
import { createUpload, uploadFile } from '../../../tests/support/upload-file'
import { bytesAboveLimit } from '../../core/storage/free-space'
import { openStorage } from '../../core/storage/open-storage'
import { verifyAssets } from '../releases/assets/integrity'
import { haltRollouts } from '../rollouts/steps/cancel'
import { prepareStorage } from './prepare-storage'

let api: TestApi
let home: string
let ines: Person
let maker: Awaited<ReturnType<typeof createReleaseFixture>>
let mounted: string
let away: string

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'teasel-mount-'))
  mounted = join(home, 'nas/files')
  away = join(home, 'away')
  api = await createTestApi({ TEASEL_STORAGE: mounted })
  api.deps.storage = await openStorage(api.config.storage)
  await prepareStorage(api.deps)
  ines = await api.person()
  maker = await createReleaseFixture(api, ines, await api.project({ ownerId: ines.id }))
  const bytes = randomBytes(1000)
  await uploadFile(api, ines, (await maker.draft({ version: 1, bytes })).assetId, bytes)
})
afterAll(async () => {
  await api.close()
  await rm(home, { recursive: true, force: true })
})
beforeEach(() => rename(mounted, away))
afterEach(async () => {
  await rm(mounted, { recursive: true, force: true })
  await rename(away, mounted)
})

const isThere = () =>
  access(mounted).then(
    () => true,
    () => false,
  )
const check = () => verifyAssets({ ...api.deps, haltRollouts })

it('measuring free space while the directory of the files is not mounted does not create it, so that no file is marked as damaged', async () => {
  expect(await bytesAboveLimit(api.deps, api.config.uploadsDirectory)).toBeTypeOf('number')
  expect(await isThere()).toBe(false)
  expect(await check()).toEqual({ checked: 1, damaged: [] })
})

it('an upload while the directory of the files is not mounted gets 503 and does not create it', async () => {
  const { assetId } = await maker.draft({ version: 2, bytes: randomBytes(10) })
  const answer = await createUpload(api, ines, assetId, { size: 10 })
  expect([answer.statusCode, answer.json().error.code]).toEqual([503, 'unavailable'])
  expect(await isThere()).toBe(false)
  expect(await check()).toEqual({ checked: 1, damaged: [] })
})

it('a start while the directory of the files is not mounted does not create it, and says so', async () => {
  await prepareStorage(api.deps)
  expect(await isThere()).toBe(false)
  expect(api.lines.join('')).toContain('is absent')
})
