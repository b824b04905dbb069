import { randomBytes } from 'node:crypto'
import { mkdtemp, open, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { assetLink } from '../../../../contract/updates/release-assets'
import { release } from '../../../../contract/updates/releases'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import { repetitions } from '../../../../tests/support/counts'
import type { Person } from '../../../../tests/support/people'
import { createReleaseFixture } from '../../../../tests/support/release-fixture'
import { uploadFile } from '../../../../tests/support/upload-file'
import { createAsset } from '../../../../contract/updates/release-assets'
import { directoryStorage } from '../../../core/storage/directory'
import { haltRollouts } from '../../rollouts/steps/cancel'
import { verifyAssets } from './integrity'
import { within } from '../../../../tests/support/machine-load'

let api: TestApi
let directory: string
let ines: Person
let maker: Awaited<ReturnType<typeof createReleaseFixture>>

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'teasel-damage-'))
  api = await createTestApi()
  api.deps.storage = directoryStorage(directory)
  ines = await api.person()
  maker = await createReleaseFixture(api, ines, await api.project({ ownerId: ines.id }))
})
afterAll(async () => {
  await api.close()
  await rm(directory, { recursive: true, force: true })
})

const stored = async () =>
  (await readdir(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted()

// Bit rot changes bytes but no file metadata.
const flip = async (path: string, bit: number, quiet: boolean) => {
  const file = await open(path, 'r+')
  const { mtime, atime } = await file.stat()
  const byte = Buffer.alloc(1)
  await file.read(byte, 0, 1, bit >> 3)
  byte[0] = (byte[0] ?? 0) ^ (1 << (bit & 7))
  await file.write(byte, 0, 1, bit >> 3)
  await file.close()
  if (quiet) await utimes(path, atime, mtime)
}

const files = async (count: number, version: number) => {
  const bytes = randomBytes(256)
  const made = []
  let releaseId = ''
  for (let n = 0; n < count; n++) {
    // A release takes 64 files; its first one is part of the draft.
    if (n % 60 === 0) releaseId = (await maker.draft({ version: version + n, bytes })).releaseId
    const body = { name: `part-${n}.bin`, kind: 'payload' as const, size: bytes.length, install_location: `/opt/part-${n}` }
    const asset = await api.call(createAsset, { releaseId }, { as: ines, body })
    await uploadFile(api, ines, asset.body.id, bytes)
    made.push({ releaseId, assetId: asset.body.id })
  }
  return made
}

const download = async (params: { releaseId: string; assetId: string }, headers: Record<string, string> = {}) => {
  const link = await api.call(assetLink, params, { as: ines })
  const url = new URL(link.body.url ?? 'http://x/none')
  return api.app.inject({ url: url.pathname + url.search, headers: { host: new URL(api.config.urls.api).host, ...headers } })
}

it('serves what was uploaded: by range, by hash, as an attachment, for 15 minutes', async () => {
  const [file] = await files(1, 1)
  if (!file) return expect.unreachable()
  const whole = await download(file)
  const asset = (await api.call(release, { releaseId: file.releaseId }, { as: ines })).body.assets.find(
    ({ id }) => id === file.assetId,
  )
  expect(whole.headers).toMatchObject({
    etag: `"sha256-${asset?.sha256}"`,
    'content-length': '256',
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  })
  expect(whole.headers['content-disposition']).toContain('attachment')
  const part = await download(file, { range: 'bytes=10-19' })
  expect([part.statusCode, part.headers['content-range']]).toEqual([206, 'bytes 10-19/256'])
  expect(part.rawPayload.equals(whole.rawPayload.subarray(10, 20))).toBe(true)
  const beyond = await download(file, { range: 'bytes=256-' })
  expect([beyond.statusCode, beyond.headers['content-range']]).toEqual([416, 'bytes */256'])
  const other = await download(file, { range: 'bytes=10-19', 'if-range': '"sha256-0"' })
  expect(other.statusCode).toBe(200)
  const link = (await api.call(assetLink, file, { as: ines })).body.url
  const get = (url: string) =>
    api.app.inject({ url: url.replace(api.config.urls.api, ''), headers: { host: new URL(api.config.urls.api).host } })
  expect((await get(link.replace(/(?<=sig=)./, (first) => (first === 'A' ? 'B' : 'A')))).statusCode).toBe(404)
  expect((await get(link.replace(/exp=\d/, 'exp=9'))).statusCode).toBe(404)
  api.advance(901)
  expect((await get(link)).statusCode).toBe(404)
})

const count = repetitions(40, 1000)
// A thousand files are uploaded, read and checked twice.
vi.setConfig({ testTimeout: within(repetitions(60_000, 900_000)) })

it('T-16: one flipped bit in any of the stored files, and each download of it is refused', async () => {
  const before = await stored()
  const made = await files(count, 2)
  for (const file of made) expect((await download(file)).statusCode).toBe(200)
  const fresh = (await stored()).filter((path) => !before.includes(path))
  expect(fresh).toHaveLength(count)
  for (const [n, path] of fresh.entries()) await flip(path, (n * 53) % 2048, n % 2 === 0)
  const answers = await Promise.all(made.map((file) => download(file)))
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(made.map(() => 410))
})

it('T-16: the check on schedule finds every one of them, and nothing else', async () => {
  await verifyAssets({ ...api.deps, haltRollouts }, 10_000)
  const before = await stored()
  const made = await files(count, 2000)
  const fresh = (await stored()).filter((path) => !before.includes(path))
  for (const [n, path] of fresh.entries()) if (n % 2 === 0) await flip(path, (n * 53) % 2048, true)
  const { damaged } = await verifyAssets({ ...api.deps, haltRollouts }, 10_000)
  expect(damaged).toHaveLength(count / 2)
  const answers = await Promise.all(made.map((file) => download(file)))
  expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(count / 2)
  expect((await verifyAssets({ ...api.deps, haltRollouts }, 10_000)).damaged).toEqual([])
})
