import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { maxUploadBytes } from '../../../contract/limits'
import { removeProjectMember, updateProjectMember } from '../../../contract/guests'
import { deleteAsset } from '../../../contract/release-assets'
import { release } from '../../../contract/releases'
import { projectAuditLog } from '../../../contract/audit'
import { uploads } from '../../../contract/uploads'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import type { Person } from '../../../tests/support/people'
import { releasing } from '../../../tests/support/releasing'
import { createUpload, endUpload, offsetOf, sendBytes, upload } from '../../../tests/support/uploading'
import { buildApi } from '../../api'
import { organizations } from '../../accounts/schema/organizations'
import { sessions } from '../../accounts/schema/people'
import { directoryStorage } from '../../core/storage/directory'
import { sweepUploads } from './sweep'

let api: TestApi
let other: TestApi
let directory: string
let ines: Person
let projectId: string
let maker: Awaited<ReturnType<typeof releasing>>

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'teasel-uploads-'))
  api = await createTestApi()
  api.deps.storage = directoryStorage(join(directory, 'artifacts'))
  // A second process on the same database and directories, as far as anything but memory goes.
  const app = buildApi(api.deps)
  await app.ready()
  other = { ...api, app }
  ines = await api.person()
  projectId = await api.project({ ownerId: ines.id })
  maker = await releasing(api, ines, projectId)
})
afterAll(async () => {
  await other.app.close()
  await api.close()
  await rm(directory, { recursive: true, force: true })
})

let version = 1
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const draft = (bytes: Buffer) => maker.draft({ version: version++, bytes })
const assetOf = async (releaseId: string) => (await api.call(release, { releaseId }, { as: ines })).body.assets[0]

const begun = async (bytes: Buffer, facts: { sha256?: string } = {}) => {
  const made = await draft(bytes)
  const answer = await createUpload(api, ines, made.assetId, { size: bytes.length, ...facts })
  expect(answer.statusCode, answer.payload).toBe(201)
  return { ...made, location: String(answer.headers.location) }
}

const told = async (at: TestApi, location: string) => Number((await offsetOf(at, ines, location)).headers['upload-offset'])

it('takes a file, tells how far it is, and makes it part of the release with a row of the audit log', async () => {
  const bytes = randomBytes(4096)
  const { location, releaseId } = await begun(bytes)
  expect(await assetOf(releaseId)).toMatchObject({ state: 'uploading' })
  const half = await sendBytes(api, ines, location, 0, bytes.subarray(0, 2048))
  expect([half.statusCode, half.headers['upload-offset'], half.headers['tus-resumable']]).toEqual([204, '2048', '1.0.0'])
  expect(half.headers['upload-expires']).toBeDefined()
  const open = await api.call(uploads, {}, { as: ines, query: { state: 'open' } })
  expect(open.body.uploads.find(({ id }) => location.endsWith(id))).toMatchObject({ offset: 2048, size: 4096 })
  const wrong = await sendBytes(api, ines, location, 0, bytes)
  expect([wrong.statusCode, wrong.json().error.code]).toEqual([409, 'offset_conflict'])
  expect((await sendBytes(api, ines, location, 2048, bytes.subarray(2048))).statusCode).toBe(204)
  expect(await assetOf(releaseId)).toMatchObject({ state: 'ready', sha256: sha256(bytes) })
  const log = await api.call(projectAuditLog, { projectId }, { as: ines })
  expect(log.body.entries.filter(({ action }) => action === 'asset.upload')).toHaveLength(1)
})

it('F-11: an upload begun at one API is resumed at another, in any order of the two', async () => {
  const bytes = randomBytes(10_000)
  const { location, releaseId } = await begun(bytes)
  for (let at = 0, n = 0; at < bytes.length; at += 1000, n++) {
    const to = n % 3 === 0 ? other : api
    expect(await told(to, location)).toBe(at)
    expect((await sendBytes(to, ines, location, at, bytes.subarray(at, at + 1000))).statusCode).toBe(204)
  }
  expect(await assetOf(releaseId)).toMatchObject({ state: 'ready', sha256: sha256(bytes) })
})

it('an upload whose bytes are gone is told to begin at 0, and comes out whole', async () => {
  const bytes = randomBytes(4096)
  const { location, releaseId } = await begun(bytes)
  expect((await sendBytes(api, ines, location, 0, bytes.subarray(0, 2048))).statusCode).toBe(204)
  await rm(join(api.config.uploadsDirectory, `${location.split('/').at(-1)}.part`))
  expect(await told(api, location)).toBe(0)
  expect((await sendBytes(other, ines, location, 0, bytes)).statusCode).toBe(204)
  expect(await assetOf(releaseId)).toMatchObject({ state: 'ready', sha256: sha256(bytes) })
})

it('T-16: bytes that are not what was announced are refused and thrown away; the file can be sent again', async () => {
  const bytes = randomBytes(3000)
  const { location, releaseId, assetId } = await begun(bytes, { sha256: sha256(bytes) })
  const spoilt = Buffer.from(bytes)
  spoilt[1500] = (spoilt[1500] ?? 0) ^ 1
  const answer = await sendBytes(api, ines, location, 0, spoilt)
  expect([answer.statusCode, answer.json().error.code]).toEqual([422, 'hash_mismatch'])
  const refused = await api.call(release, { releaseId }, { as: ines })
  expect([refused.body.state, refused.body.assets[0]?.state]).toEqual(['rejected', 'rejected'])
  await upload(api, ines, assetId, bytes)
  const mended = await api.call(release, { releaseId }, { as: ines })
  expect([mended.body.state, mended.body.assets[0]?.state]).toEqual(['draft', 'ready'])
  expect(await readdir(api.config.uploadsDirectory)).not.toContain(`${location.split('/').at(-1)}.part`)
})

it('ends an upload by will and by time, and sweeps what nobody names', async () => {
  const bytes = randomBytes(100)
  const first = await begun(bytes)
  await sendBytes(api, ines, first.location, 0, bytes.subarray(0, 50))
  expect((await endUpload(api, ines, first.location)).statusCode).toBe(204)
  expect(await assetOf(first.releaseId)).toMatchObject({ state: 'expected' })
  expect((await offsetOf(api, ines, first.location)).statusCode).toBe(410)
  const second = await begun(bytes)
  await sendBytes(api, ines, second.location, 0, bytes.subarray(0, 50))
  api.advance(7 * 86_400 - 1)
  expect((await sweepUploads(api.deps)).expired).toBe(0)
  Object.assign(ines, await api.session(ines.id))
  api.advance(1)
  expect((await sweepUploads(api.deps)).expired).toBe(1)
  expect(await assetOf(second.releaseId)).toMatchObject({ state: 'expected' })
  expect(await readdir(api.config.uploadsDirectory)).toEqual([])
})

describe('who may', () => {
  it('a stranger neither creates nor sees nor sends', async () => {
    const bytes = randomBytes(10)
    const { location, assetId } = await begun(bytes)
    const stranger = await api.person()
    const answers = [
      await createUpload(api, stranger, assetId, { size: 10 }),
      await offsetOf(api, stranger, location),
      await sendBytes(api, stranger, location, 0, bytes),
      await endUpload(api, stranger, location),
    ]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404, 404])
    expect(await told(api, location)).toBe(0)
  })

  it('a viewer may not', async () => {
    const viewer = await api.guest(projectId, 'viewer')
    const { assetId } = await draft(randomBytes(10))
    const answer = await createUpload(api, viewer, assetId, { size: 10 })
    expect([answer.statusCode, answer.json().error.required_permission]).toEqual([403, 'project:manage_releases'])
  })
})

describe('an upload whose file is known by its fingerprint', () => {
  const half = 2048
  const known = async () => {
    const bytes = randomBytes(2 * half)
    const identity = { fingerprint: sha256(bytes.subarray(0, 1)) }
    const made = await draft(bytes)
    const location = String((await createUpload(api, ines, made.assetId, { size: bytes.length, ...identity })).headers.location)
    expect((await sendBytes(api, ines, location, 0, bytes.subarray(0, half), identity)).statusCode).toBe(204)
    return { ...made, bytes, identity, location }
  }
  const stateOf = async (location: string) =>
    (await api.call(uploads, {}, { as: ines })).body.uploads.find(({ id }) => location.endsWith(id))

  it('is not continued with another file, which is told by HEAD and PATCH and changes nothing', async () => {
    const { bytes, identity, location, releaseId } = await known()
    const another = { fingerprint: sha256(Buffer.from('another build')) }
    expect((await offsetOf(other, ines, location, another)).statusCode).toBe(412)
    const refused = await sendBytes(api, ines, location, half, randomBytes(half), another)
    expect([refused.statusCode, refused.json().error.code, refused.json().error.message]).toEqual([
      412,
      'other_content',
      'This is not the same file: its content differs. Choose the original file or start again.',
    ])
    expect(await told(api, location)).toBe(half)
    expect(await stateOf(location)).toMatchObject({ state: 'open', offset: half, ...identity })
    await sendBytes(api, ines, location, half, bytes.subarray(half), { ...identity, sha256: sha256(bytes) })
    expect(await assetOf(releaseId)).toMatchObject({ state: 'ready', sha256: sha256(bytes) })
  })

  it('is complete only when the hash of the whole was named after its last byte', async () => {
    const { bytes, identity, location, releaseId } = await known()
    expect((await sendBytes(api, ines, location, half, bytes.subarray(half), identity)).statusCode).toBe(204)
    expect(await told(other, location)).toBe(bytes.length)
    expect(await assetOf(releaseId)).toMatchObject({ state: 'uploading' })
    const named = () => sendBytes(other, ines, location, bytes.length, Buffer.alloc(0), { sha256: sha256(bytes) })
    expect((await named()).statusCode).toBe(204)
    expect(await assetOf(releaseId)).toMatchObject({ state: 'ready', sha256: sha256(bytes) })
    // Whoever missed the answer asks again.
    expect((await named()).statusCode).toBe(204)
    expect(await stateOf(location)).toMatchObject({ state: 'complete' })
  })

  it('fails and loses its bytes when they differ in the middle from the file that was named', async () => {
    const { bytes, identity, location, releaseId, assetId } = await known()
    const build = Buffer.from(bytes)
    build[half] = (build[half] ?? 0) ^ 1
    expect((await sendBytes(api, ines, location, half, bytes.subarray(half), identity)).statusCode).toBe(204)
    const answer = await sendBytes(api, ines, location, bytes.length, Buffer.alloc(0), { sha256: sha256(build) })
    expect([answer.statusCode, answer.json().error.code]).toEqual([422, 'hash_mismatch'])
    expect(await stateOf(location)).toMatchObject({ state: 'failed' })
    expect(await assetOf(releaseId)).toMatchObject({ state: 'rejected' })
    expect(await readdir(api.config.uploadsDirectory)).not.toContain(`${location.split('/').at(-1)}.part`)
    await upload(api, ines, assetId, build)
    expect(await assetOf(releaseId)).toMatchObject({ state: 'ready', sha256: sha256(build) })
  })

  it('is known from its first continuation on when it was begun without a fingerprint', async () => {
    const bytes = randomBytes(100)
    const { location, releaseId } = await begun(bytes)
    await sendBytes(api, ines, location, 0, bytes.subarray(0, 50))
    const fingerprint = sha256(bytes)
    expect((await offsetOf(api, ines, location, { fingerprint })).statusCode).toBe(200)
    expect((await offsetOf(api, ines, location, { fingerprint: sha256(Buffer.from('x')) })).statusCode).toBe(412)
    await sendBytes(api, ines, location, 50, bytes.subarray(50), { fingerprint })
    expect(await assetOf(releaseId)).toMatchObject({ state: 'uploading' })
    await sendBytes(api, ines, location, 100, Buffer.alloc(0), { sha256: sha256(bytes) })
    expect(await assetOf(releaseId)).toMatchObject({ state: 'ready' })
  })
})

describe('a maintainer who is made a viewer while an upload is open', () => {
  const lowered = async (bytes: Buffer) => {
    const guest = await api.guest(projectId, 'maintainer')
    const made = await draft(bytes)
    const location = String((await createUpload(api, guest, made.assetId, { size: bytes.length })).headers.location)
    const lower = () =>
      api.call(updateProjectMember, { projectId, memberId: guest.id }, { as: ines, body: { base_role: 'viewer' } })
    return { ...made, guest, location, lower }
  }

  it('sends no more bytes, is told which permission is missing, and may still discard the upload', async () => {
    const bytes = randomBytes(100)
    const { guest, location, lower, releaseId } = await lowered(bytes)
    expect((await sendBytes(api, guest, location, 0, bytes.subarray(0, 50))).statusCode).toBe(204)
    expect((await lower()).status).toBe(200)
    const refused = await sendBytes(api, guest, location, 50, bytes.subarray(50))
    expect([refused.statusCode, refused.json().error.required_permission]).toEqual([403, 'project:manage_releases'])
    expect((await offsetOf(api, guest, location)).statusCode).toBe(403)
    expect(await assetOf(releaseId)).toMatchObject({ state: 'uploading' })
    expect((await endUpload(api, guest, location)).statusCode).toBe(204)
    expect(await assetOf(releaseId)).toMatchObject({ state: 'expected' })
  })

  it('does not end an upload whose bytes were on their way when the role changed', async () => {
    const bytes = randomBytes(100)
    const { guest, location, lower, releaseId } = await lowered(bytes)
    const payload = Readable.from(
      (async function* () {
        yield bytes.subarray(0, 50)
        await lower()
        yield bytes.subarray(50)
      })(),
    )
    const refused = await sendBytes(api, guest, location, 0, payload)
    expect([refused.statusCode, refused.json().error.required_permission]).toEqual([403, 'project:manage_releases'])
    expect(await assetOf(releaseId)).toMatchObject({ state: 'uploading' })
    await endUpload(api, guest, location)
  })
})

describe('whoever loses the place while the bytes of an upload are on their way does not end it', () => {
  const bytes = randomBytes(100)
  const interrupted = (as: Person, location: string, between: () => Promise<unknown>) =>
    sendBytes(
      api,
      as,
      location,
      0,
      Readable.from(
        (async function* () {
          yield bytes.subarray(0, 50)
          await between()
          yield bytes.subarray(50)
        })(),
      ),
    )

  it('a guest who is removed', async () => {
    const guest = await api.guest(projectId, 'maintainer')
    const { assetId, releaseId } = await draft(bytes)
    const location = String((await createUpload(api, guest, assetId, { size: 100 })).headers.location)
    const remove = () => api.call(removeProjectMember, { projectId, memberId: guest.id }, { as: ines })
    expect((await interrupted(guest, location, remove)).statusCode).toBe(404)
    expect(await assetOf(releaseId)).toMatchObject({ state: 'uploading' })
  })

  it('somebody whose session is ended', async () => {
    const guest = await api.guest(projectId, 'maintainer')
    const { assetId, releaseId } = await draft(bytes)
    const location = String((await createUpload(api, guest, assetId, { size: 100 })).headers.location)
    const end = () => api.db.update(sessions).set({ endedAt: api.deps.clock() }).where(eq(sessions.id, guest.sessionId))
    expect((await interrupted(guest, location, end)).statusCode).toBe(401)
    expect(await assetOf(releaseId)).toMatchObject({ state: 'uploading' })
    // Signed in again, the same person ends it: nothing has to be sent twice.
    const again = { ...guest, ...(await api.session(guest.id)) }
    expect((await offsetOf(api, again, location)).statusCode).toBe(200)
    expect(await assetOf(releaseId)).toMatchObject({ state: 'ready' })
  })

  it('a member whose organization demands a second factor from now on', async () => {
    const owner = await api.person()
    const { id } = await api.organization(owner, 'Vault')
    const developer = await api.member(id, 'developer')
    const place = await api.project({ organizationId: id })
    const theirs = await releasing(api, owner, place)
    const made = await theirs.draft({ version: 1, bytes })
    const location = String((await createUpload(api, developer, made.assetId, { size: 100 })).headers.location)
    const demand = () =>
      api.db
        .update(organizations)
        .set({ settings: sql`${organizations.settings} || '{"require_mfa": true}'::jsonb` })
        .where(eq(organizations.id, id))
    const refused = await interrupted(developer, location, demand)
    expect([refused.statusCode, refused.json().error.code]).toEqual([403, 'second_factor_required'])
  })
})

it('an upload ends when its file is taken out of the release', async () => {
  const bytes = randomBytes(100)
  const { location, releaseId, assetId } = await begun(bytes)
  await sendBytes(api, ines, location, 0, bytes.subarray(0, 50))
  expect((await api.call(deleteAsset, { releaseId, assetId }, { as: ines })).status).toBe(204)
  expect((await sendBytes(api, ines, location, 50, bytes.subarray(50))).statusCode).toBe(410)
  const { body } = await api.call(uploads, {}, { as: ines })
  expect(body.uploads.find(({ id }) => location.endsWith(id))).toMatchObject({
    state: 'failed',
    error: 'The file was removed from the release',
  })
})

describe('T-15: sizes', () => {
  it.each([
    ['-1', 400],
    ['0', 422],
    ['abc', 400],
    ['', 400],
    ['1e3', 400],
    [String(maxUploadBytes + 1), 413],
    ['99999999999999999999', 400],
  ])('Upload-Length %j is %i', async (length, status) => {
    const { assetId } = await draft(randomBytes(10))
    const answer = await createUpload(api, ines, assetId, { size: length as never })
    expect(answer.statusCode, answer.payload).toBe(status)
    expect(answer.json().error.request_id).toBeDefined()
  })

  it('another size than was announced, and more bytes than that', async () => {
    const bytes = randomBytes(10)
    const { assetId } = await draft(bytes)
    expect((await createUpload(api, ines, assetId, { size: 11 })).json().error.details[0].field).toBe('size')
    const { location } = await begun(bytes)
    const answer = await sendBytes(api, ines, location, 0, randomBytes(11))
    expect([answer.statusCode, answer.json().error.code]).toEqual([413, 'file_too_large'])
    expect(await told(api, location)).toBe(0)
  })
})

describe('T-15: names are data', () => {
  const bad = ['../x', '..\\x', '/etc/passwd', 'a/b', 'a\0b', 'a\r\nb', '', 'x'.repeat(256), 'a\u0007b', 'C:\\x', '\u001b[31m']
  it.each(bad)('%j is refused', async (name) => {
    const { assetId } = await draft(randomBytes(10))
    const answer = await createUpload(api, ines, assetId, { size: 10, name })
    expect([answer.statusCode, answer.json().error.details[0]?.field]).toEqual([422, 'filename'])
  })

  const odd = [
    'CON',
    'aux.bin',
    '..',
    '.bashrc',
    '‮gnp.exe',
    'ñandú 火.bin',
    '%2e%2e%2fx',
    '<img src=x>',
    'a\'b";--',
    'x'.repeat(255),
  ]
  it.each(odd)('%j is taken as it is, and is no path', async (name) => {
    const bytes = randomBytes(10)
    const { assetId } = await draft(bytes)
    const made = await createUpload(api, ines, assetId, { size: 10, name })
    expect(made.statusCode, made.payload).toBe(201)
    const id = String(made.headers.location).split('/').at(-1)
    expect(await readdir(api.config.uploadsDirectory)).toContain(`${id}.part`)
    await endUpload(api, ines, String(made.headers.location))
  })
})
