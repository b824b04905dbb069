import { createHash, randomBytes } from 'node:crypto'
import { readdir, stat, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { eq, sql } from 'drizzle-orm'
import { is } from 'superstruct'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { maxUploadBytes } from '../../../contract/core/limits'
import { removeProjectMember, updateProjectMember } from '../../../contract/accounts/guests'
import { AssetName } from '../../../contract/device/manifest-fields'
import { findUnseen } from '../../core/unseen'
import { assetLink, createAsset, deleteAsset, NewAsset } from '../../../contract/updates/release-assets'
import { finalizeRelease } from '../../../contract/updates/release-signing'
import { createRelease, release } from '../../../contract/updates/releases'
import { projectAuditLog } from '../../../contract/accounts/audit'
import { uploads } from '../../../contract/updates/uploads'
import { authorization, type TestApi } from '../../../tests/support/api'
import { repetitions } from '../../../tests/support/counts'
import { hostileNames } from '../../../tests/support/hostile-names'
import { knownBombs, overlapZip } from '../../../tests/support/overlap-zip'
import type { Person } from '../../../tests/support/people'
import { createReleaseFixture } from '../../../tests/support/release-fixture'
import { createStoringApi, storedIn, storeUnderTest, unfinishedIn } from '../../../tests/support/stores'
import { createUpload, endUpload, offsetOf, sendBytes, uploadFile } from '../../../tests/support/upload-file'
import { buildApi } from '../../api'
import { organizations } from '../../accounts/schema/organizations'
import { sessions } from '../../accounts/schema/people'
import { incomingOf } from '../../core/storage/directory-incoming'
import { assets, uploads as uploadRows } from '../schema/releases'
import { sweepUploads } from './sweep'

let api: TestApi
let other: TestApi
let ines: Person
let projectId: string
let maker: Awaited<ReturnType<typeof createReleaseFixture>>

beforeAll(async () => {
  api = await createStoringApi()
  // A second process on the same database and storage; only the memory is shared with the first.
  const app = buildApi(api.deps)
  await app.ready()
  other = { ...api, app }
  ines = await api.person()
  projectId = await api.project({ ownerId: ines.id })
  maker = await createReleaseFixture(api, ines, projectId)
})
afterAll(async () => {
  await other.app.close()
  await api.close()
})

const { kind } = storeUnderTest()
const idOf = (location: string) => location.split('/').at(-1) ?? ''
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

it('accepts a file, reports its progress, and adds it to the release with a row of the audit log', async () => {
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

it('F-17: bytes that could not be synced to the disk are not acknowledged', async () => {
  const bytes = randomBytes(4096)
  const { location, releaseId } = await begun(bytes)
  const mend = await storeUnderTest().failWrites()
  const refused = await sendBytes(api, ines, location, 0, bytes.subarray(0, 2048)).finally(mend)
  expect([refused.statusCode, refused.headers['upload-offset']]).toEqual([500, undefined])
  const known = await api.call(uploads, {}, { as: ines, query: { state: 'open' } })
  expect(known.body.uploads.find(({ id }) => location.endsWith(id))?.offset).toBe(0)
  const at = await told(api, location)
  expect((await sendBytes(api, ines, location, at, bytes.subarray(at))).statusCode).toBe(204)
  expect(await assetOf(releaseId)).toMatchObject({ state: 'ready', sha256: sha256(bytes) })
})

it('an upload whose bytes are lost restarts at 0 and is completed', async () => {
  const bytes = randomBytes(4096)
  const { location, releaseId } = await begun(bytes)
  expect((await sendBytes(api, ines, location, 0, bytes.subarray(0, 2048))).statusCode).toBe(204)
  await incomingOf(api.deps).remove(idOf(location))
  expect(await told(api, location)).toBe(0)
  expect((await sendBytes(other, ines, location, 0, bytes)).statusCode).toBe(204)
  expect(await assetOf(releaseId)).toMatchObject({ state: 'ready', sha256: sha256(bytes) })
})

it('T-16: bytes that do not match the declared hash are refused and discarded; the file can be sent again', async () => {
  const bytes = randomBytes(3000)
  const { location, releaseId, assetId } = await begun(bytes, { sha256: sha256(bytes) })
  const spoilt = Buffer.from(bytes)
  spoilt[1500] = (spoilt[1500] ?? 0) ^ 1
  const answer = await sendBytes(api, ines, location, 0, spoilt)
  expect([answer.statusCode, answer.json().error.code]).toEqual([422, 'hash_mismatch'])
  const refused = await api.call(release, { releaseId }, { as: ines })
  expect([refused.body.state, refused.body.assets[0]?.state]).toEqual(['rejected', 'rejected'])
  await uploadFile(api, ines, assetId, bytes)
  const mended = await api.call(release, { releaseId }, { as: ines })
  expect([mended.body.state, mended.body.assets[0]?.state]).toEqual(['draft', 'ready'])
  expect(await unfinishedIn(api)).not.toContain(idOf(location))
})

it('ends an upload on request and after a time, and removes unreferenced bytes', async () => {
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
  expect(await unfinishedIn(api)).toEqual([])
})

describe('permissions', () => {
  it('a user without access can neither create nor see nor send', async () => {
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

  it('a request that sends bytes cannot cancel the upload with another method in a header', async () => {
    const bytes = randomBytes(10)
    const { location } = await begun(bytes)
    const sent = await api.app.inject({
      method: 'PATCH',
      url: location,
      headers: {
        host: new URL(api.config.urls.api).host,
        ...authorization(ines),
        'tus-resumable': '1.0.0',
        'upload-offset': '0',
        'content-type': 'application/offset+octet-stream',
        'x-http-method-override': 'DELETE',
      },
      payload: bytes.subarray(0, 5),
    })
    expect(sent.statusCode, sent.payload).toBe(204)
    expect(await told(api, location)).toBe(5)
  })

  it('a viewer cannot create or send', async () => {
    const viewer = await api.guest(projectId, 'viewer')
    const { assetId } = await draft(randomBytes(10))
    const answer = await createUpload(api, viewer, assetId, { size: 10 })
    expect([answer.statusCode, answer.json().error.required_permission]).toEqual([403, 'project:manage_releases'])
  })
})

it('a file that was rejected and whose next upload is cancelled leaves no reason of the rejection', async () => {
  const bytes = randomBytes(300)
  const { location, releaseId, assetId } = await begun(bytes, { sha256: sha256(bytes) })
  expect((await sendBytes(api, ines, location, 0, randomBytes(300))).statusCode).toBe(422)
  const facts = async () => {
    const { state, state_reason: reason, assets } = (await api.call(release, { releaseId }, { as: ines })).body
    return [state, reason, assets[0]?.state, assets[0]?.reject_reason]
  }
  const text = expect.any(String)
  expect(await facts()).toEqual(['rejected', text, 'rejected', text])
  const next = await createUpload(api, ines, assetId, { size: bytes.length })
  expect(await facts()).toEqual(['uploading', null, 'uploading', null])
  expect((await endUpload(api, ines, String(next.headers.location))).statusCode).toBe(204)
  expect(await facts()).toEqual(['draft', null, 'expected', null])
})

describe('an upload that is created again', () => {
  it('is begun anew when its first answer was lost, before a byte was sent', async () => {
    const bytes = randomBytes(20)
    const { location, releaseId, assetId } = await begun(bytes)
    const again = await createUpload(api, ines, assetId, { size: bytes.length })
    expect(again.statusCode, again.payload).toBe(201)
    expect((await offsetOf(api, ines, location)).statusCode).toBe(410)
    expect((await sendBytes(api, ines, String(again.headers.location), 0, bytes)).statusCode).toBe(204)
    expect(await assetOf(releaseId)).toMatchObject({ state: 'ready' })
  })

  it('is refused once bytes were sent, and the refusal says what to do', async () => {
    const bytes = randomBytes(20)
    const { location, assetId } = await begun(bytes)
    expect((await sendBytes(api, ines, location, 0, bytes.subarray(0, 10))).statusCode).toBe(204)
    const again = await createUpload(api, ines, assetId, { size: bytes.length })
    expect([again.statusCode, again.json().error.message]).toEqual([
      409,
      'You have begun an upload of this file: continue or cancel it, or remove the file and add it again',
    ])
  })

  it('by another person is refused, names its sender, and says what to do', async () => {
    const bytes = randomBytes(20)
    const guest = await api.guest(projectId, 'maintainer')
    const { assetId } = await draft(bytes)
    await createUpload(api, guest, assetId, { size: bytes.length })
    const again = await createUpload(api, ines, assetId, { size: bytes.length })
    expect([again.statusCode, again.json().error.message]).toEqual([
      409,
      'The maintainer has begun an upload of this file. To send it yourself, remove the file and add it again',
    ])
  })

  it('by another person ends the first one of a damaged file, which cannot be removed from its signed release', async () => {
    const bytes = randomBytes(20)
    const guest = await api.guest(projectId, 'maintainer')
    const { assetId, releaseId } = await draft(bytes)
    await api.db.update(assets).set({ damagedAt: api.deps.clock(), state: 'rejected' }).where(eq(assets.id, assetId))
    const { headers } = await createUpload(api, guest, assetId, { size: bytes.length })
    const location = String(headers.location)
    expect((await sendBytes(api, guest, location, 0, bytes.subarray(0, 10))).statusCode).toBe(204)
    const again = await createUpload(api, ines, assetId, { size: bytes.length })
    expect(again.statusCode, again.payload).toBe(201)
    expect((await offsetOf(api, guest, location)).statusCode).toBe(410)
    expect((await sendBytes(api, ines, String(again.headers.location), 0, bytes)).statusCode).toBe(204)
    expect(await assetOf(releaseId)).toMatchObject({ state: 'ready', damaged_at: null })
  })
})

describe('an upload whose sender may no longer send', () => {
  const beginAsGuest = async (bytes: Buffer) => {
    const guest = await api.guest(projectId, 'maintainer')
    const { assetId, releaseId } = await draft(bytes)
    const { headers } = await createUpload(api, guest, assetId, { size: bytes.length })
    const location = String(headers.location)
    expect((await sendBytes(api, guest, location, 0, bytes.subarray(0, 10))).statusCode).toBe(204)
    const resend = () => createUpload(api, ines, assetId, { size: bytes.length })
    return { guest, location, releaseId, resend }
  }

  it.each(['left', 'became a viewer'] as const)('ends when somebody else sends the file: its sender %s', async (what) => {
    const bytes = randomBytes(20)
    const { guest, location, releaseId, resend } = await beginAsGuest(bytes)
    expect((await resend()).statusCode).toBe(409)
    const [params, as] = [{ projectId, memberId: guest.id }, ines]
    if (what === 'left') await api.call(removeProjectMember, params, { as })
    else await api.call(updateProjectMember, params, { as, body: { base_role: 'viewer' } })
    const again = await resend()
    expect(again.statusCode, again.payload).toBe(201)
    const [ended] = await api.db
      .select()
      .from(uploadRows)
      .where(eq(uploadRows.id, idOf(location)))
    expect(ended).toMatchObject({ state: 'failed', error: 'Its sender may no longer send it', offset: 0 })
    expect((await sendBytes(api, ines, String(again.headers.location), 0, bytes)).statusCode).toBe(204)
    expect(await assetOf(releaseId)).toMatchObject({ state: 'ready' })
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

  it('is not continued with another file; HEAD and PATCH answer so and change nothing', async () => {
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
    // A client that missed the answer asks again.
    expect((await named()).statusCode).toBe(204)
    expect(await stateOf(location)).toMatchObject({ state: 'complete' })
  })

  it('that is cancelled after it was completed keeps its file, and the answer says so', async () => {
    const { bytes, identity, location, releaseId } = await known()
    const whole = { ...identity, sha256: sha256(bytes) }
    expect((await sendBytes(api, ines, location, half, bytes.subarray(half), whole)).statusCode).toBe(204)
    const refused = await endUpload(api, ines, location)
    expect([refused.statusCode, refused.json().error.message]).toEqual([409, 'The upload is complete. Remove its file instead'])
    expect(await stateOf(location)).toMatchObject({ state: 'complete' })
    expect(await assetOf(releaseId)).toMatchObject({ state: 'ready', sha256: sha256(bytes) })
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
    expect(await unfinishedIn(api)).not.toContain(idOf(location))
    await uploadFile(api, ines, assetId, build)
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

  it('can send no more bytes, gets the missing permission, and can still discard the upload', async () => {
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

  it('does not end an upload whose bytes were in transit when the role changed', async () => {
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

describe('a user who loses access while bytes of an upload are in transit does not end it', () => {
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

  it('a user whose session was ended', async () => {
    const guest = await api.guest(projectId, 'maintainer')
    const { assetId, releaseId } = await draft(bytes)
    const location = String((await createUpload(api, guest, assetId, { size: 100 })).headers.location)
    const end = () => api.db.update(sessions).set({ endedAt: api.deps.clock() }).where(eq(sessions.id, guest.sessionId))
    expect((await interrupted(guest, location, end)).statusCode).toBe(401)
    expect(await assetOf(releaseId)).toMatchObject({ state: 'uploading' })
    // Signed in again, the same person completes it: nothing has to be sent twice.
    const again = { ...guest, ...(await api.session(guest.id)) }
    expect((await offsetOf(api, again, location)).statusCode).toBe(200)
    expect(await assetOf(releaseId)).toMatchObject({ state: 'ready' })
  })

  it('a member whose organization now requires a second factor', async () => {
    const owner = await api.person()
    const { id } = await api.organization(owner, 'Vault')
    const developer = await api.member(id, 'developer')
    const place = await api.project({ organizationId: id })
    const theirs = await createReleaseFixture(api, owner, place)
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
  const asset = (releaseId: string, size: string, name = 'sized.bin') =>
    api.app.inject({
      method: 'POST',
      url: `/releases/${releaseId}/assets`,
      headers: { host: new URL(api.config.urls.api).host, ...authorization(ines), 'content-type': 'application/json' },
      payload: `{"name":${JSON.stringify(name)},"kind":"payload","install_location":"/opt/x","size":${size}}`,
    })

  it.each([
    ['-1', 400],
    ['-0', 400],
    ['0', 422],
    ['abc', 400],
    ['', 400],
    ['+10', 400],
    ['10.0', 400],
    ['0x10', 400],
    ['1e3', 400],
    ['10, 10', 400],
    ['NaN', 400],
    [String(maxUploadBytes + 1), 413],
    [String(2 ** 53), 413],
    ['99999999999999999999', 413],
    ['9'.repeat(40), 413],
  ])('Upload-Length %j is %i', async (length, status) => {
    const { assetId } = await draft(randomBytes(10))
    const answer = await createUpload(api, ines, assetId, { size: length as never })
    expect(answer.statusCode, answer.payload).toBe(status)
    const { error } = answer.json()
    expect(error.request_id).toBeDefined()
    if (status === 400 && length !== '') expect(error.message).toBe('Upload-Length must be a whole number of bytes')
    if (status === 422) expect(error.details).toEqual([expect.objectContaining({ field: 'size', message: 'The file is empty' })])
    if (status === 413) expect([error.code, error.about]).toEqual(['file_too_large', { max_bytes: maxUploadBytes }])
  })

  it.each([
    '-1',
    '0',
    '-0',
    '1.5',
    '"10"',
    'null',
    'true',
    '[10]',
    '{}',
    String(maxUploadBytes + 1),
    '9007199254740992',
    '1e400',
  ])('a file of the size %s is refused when it is created', async (size) => {
    const { releaseId } = await draft(randomBytes(10))
    const answer = await asset(releaseId, size)
    expect([answer.statusCode, answer.json().error.details[0]?.field], answer.payload).toEqual([422, 'size'])
  })

  it('accepts a file of exactly 3.5 GiB, and releases its reserved space when it ends', async () => {
    expect(maxUploadBytes).toBe(3.5 * 1024 ** 3)
    api.deps.diskSpace = async () => ({ free: 2 ** 40, total: 2 ** 41 })
    try {
      const { releaseId } = await draft(randomBytes(10))
      const made = await asset(releaseId, String(maxUploadBytes))
      expect(made.statusCode, made.payload).toBe(201)
      const answer = await createUpload(api, ines, made.json().id, { size: maxUploadBytes })
      expect(answer.statusCode, answer.payload).toBe(201)
      expect((await endUpload(api, ines, String(answer.headers.location))).statusCode).toBe(204)
      // 1e1 is ten in JSON.
      expect((await asset(releaseId, '1e1', 'ten.bin')).json().size).toBe(10)
    } finally {
      delete api.deps.diskSpace
    }
  })

  // A bucket has no sparse files.
  it.runIf(kind === 'directory')('the last bytes of a file of exactly 3.5 GiB arrive, and are delivered', async () => {
    api.deps.diskSpace = async () => ({ free: 2 ** 40, total: 2 ** 41 })
    try {
      const { releaseId } = await draft(randomBytes(10))
      const { id } = (await asset(releaseId, String(maxUploadBytes))).json()
      const location = String((await createUpload(api, ines, id, { size: maxUploadBytes })).headers.location)
      // A sparse file takes no space: the bytes before the last ones are zeros, as if they had been sent.
      const last = randomBytes(10)
      const sent = maxUploadBytes - last.length
      await truncate(join(api.config.uploadsDirectory, `${location.split('/').at(-1)}.part`), sent)
      expect(await told(api, location)).toBe(sent)
      const answer = await sendBytes(api, ines, location, sent, last)
      expect([answer.statusCode, answer.headers['upload-offset']]).toEqual([204, String(maxUploadBytes)])
      const { assets } = (await api.call(release, { releaseId }, { as: ines })).body
      expect(assets.find((one) => one.id === id)).toMatchObject({ state: 'ready', size: maxUploadBytes })
      const { url } = (await api.call(assetLink, { releaseId, assetId: id }, { as: ines })).body
      const { pathname, search, host } = new URL(url)
      const part = await api.app.inject({ url: pathname + search, headers: { host, range: `bytes=${sent}-` } })
      expect([part.statusCode, part.rawPayload]).toEqual([206, last])
    } finally {
      delete api.deps.diskSpace
    }
  })

  it('another size than declared, and more bytes than declared', async () => {
    const bytes = randomBytes(10)
    const { assetId } = await draft(bytes)
    expect((await createUpload(api, ines, assetId, { size: 11 })).json().error.details[0].field).toBe('size')
    const { location } = await begun(bytes)
    const answer = await sendBytes(api, ines, location, 0, randomBytes(11))
    expect([answer.statusCode, answer.json().error.code]).toEqual([413, 'file_too_large'])
    expect(await told(api, location)).toBe(0)
  })

  it('more bytes than declared are refused also without a content length, and none of them is kept', async () => {
    const { location, releaseId } = await begun(randomBytes(10))
    const answer = await sendBytes(api, ines, location, 0, Readable.from([randomBytes(6), randomBytes(6)]))
    expect([answer.statusCode, answer.json().error.code]).toEqual([413, 'file_too_large'])
    expect(await told(api, location)).toBeLessThanOrEqual(10)
    expect(await incomingOf(api.deps).size(idOf(location))).toBeLessThanOrEqual(10)
    expect(await assetOf(releaseId)).toMatchObject({ state: 'uploading' })
  })

  it('fewer bytes than declared are no file: the upload stays open and the release is not signed', async () => {
    const bytes = randomBytes(10)
    const { location, releaseId } = await begun(bytes)
    expect((await sendBytes(api, ines, location, 0, bytes.subarray(0, 9))).headers['upload-offset']).toBe('9')
    expect(await assetOf(releaseId)).toMatchObject({ state: 'uploading', sha256: null })
    const final = await api.call(finalizeRelease, { releaseId }, { as: ines, body: {} })
    expect([final.status, final.error.code]).toEqual([409, 'conflict'])
  })

  it.each(['-1', 'abc', '', '1e1', '0x1', '1.5', String(2 ** 53), '99999999999999999999'])(
    'Upload-Offset %j is refused, and no byte is taken',
    async (offset) => {
      const { location } = await begun(randomBytes(10))
      const answer = await sendBytes(api, ines, location, offset as never, randomBytes(10))
      expect(answer.statusCode, answer.payload).toBeGreaterThanOrEqual(400)
      expect(answer.statusCode, answer.payload).toBeLessThan(500)
      expect(await told(api, location)).toBe(0)
    },
  )
})

describe('T-15: names are data', () => {
  const files = async () => {
    const folder = api.config.dataDirectory
    const found = await readdir(folder, { recursive: true, withFileTypes: true })
    return new Set(found.map((one) => join(one.parentPath, one.name).replace(folder, '')))
  }
  // oxlint-disable-next-line no-control-regex -- naming control characters is the rule itself
  const control = /[\u0000-\u001f\u007f]/
  /** What the refusal's message may name, for each rule that the file name breaks. */
  const faultsOf = (name: string) => [
    ...(name === '' ? ['required'] : []),
    ...(Array.from(name).length > 255 ? ['255 characters'] : []),
    ...(control.test(name) || !name.isWellFormed() ? ['control'] : []),
    ...(name.includes('/') ? ['slash'] : []),
    ...(name.includes('\\') ? ['slash'] : []),
  ]
  const expectRefusal = (error: { details: { field: string; message: string }[] }, field: string, faults: string[]) => {
    expect(error.details.map((one) => one.field)).toEqual([field])
    expect(
      faults.some((fault) => error.details[0]?.message.includes(fault)),
      `${error.details[0]?.message}: ${faults.join()}`,
    ).toBe(true)
  }

  it('each of 150 hostile names is refused with its rule or kept as it is, and names nothing on the disk', async () => {
    const bytes = randomBytes(10)
    const [before, storedBefore] = [await files(), new Set(await storedIn(api))]
    let releaseId = ''
    // Accepts the uploads although no file of a release may have such a name.
    let plain = ''
    const counts = { assets: 0, uploads: 0 }
    // An upload into a bucket takes more than ten requests.
    const names = hostileNames.filter((_, at) => at % (kind === 'directory' ? repetitions(3, 1) : 5) === 0)
    for (const [at, name] of names.entries()) {
      if (at % 50 === 0) {
        ;({ releaseId } = await draft(bytes))
        plain = ''
      }
      const body = { kind: 'payload' as const, size: bytes.length, install_location: '/opt/x' }
      const named = await api.call(createAsset, { releaseId }, { as: ines, body: { ...body, name } })
      const faults = [
        ...faultsOf(name),
        ...(name.startsWith('.') ? ['leading dot'] : []),
        ...(findUnseen(name) === undefined ? [] : ['cannot be seen']),
      ]
      expect(named.status, `${JSON.stringify(name)}: ${named.text}`).toBe(faults.length > 0 ? 422 : 201)
      if (named.status === 201) expect(named.body.name).toBe(name)
      else expectRefusal(named.error, 'name', faults)
      if (named.status !== 201 && plain === '')
        plain = (await api.call(createAsset, { releaseId }, { as: ines, body: { ...body, name: `plain ${at}` } })).body.id
      const assetId = named.status === 201 ? named.body.id : plain

      const said = name.toWellFormed().trim()
      const made = await createUpload(api, ines, assetId, { size: bytes.length, name })
      expect(made.statusCode, `${JSON.stringify(name)}: ${made.payload}`).toBe(faultsOf(said).length > 0 ? 422 : 201)
      if (made.statusCode === 422) expectRefusal(made.json().error, 'filename', faultsOf(said))
      else {
        const location = String(made.headers.location)
        const [row] = await api.db
          .select()
          .from(uploadRows)
          .where(eq(uploadRows.id, location.split('/').at(-1) ?? ''))
        expect(row?.fileName).toBe(said)
        expect((await sendBytes(api, ines, location, 0, bytes)).statusCode).toBe(204)
        counts.uploads++
        if (assetId === plain) plain = ''
      }
      if (named.status === 201 && made.statusCode === 201) {
        counts.assets++
        if (counts.assets % repetitions(5, 1) !== 0) continue
        const link = await api.call(assetLink, { releaseId, assetId }, { as: ines })
        const { pathname, search, host } = new URL(link.body.url)
        const { headers, statusCode } = await api.app.inject({ url: pathname + search, headers: { host } })
        expect(statusCode).toBe(200)
        expect(headers['set-cookie']).toBeUndefined()
        const disposition = /^attachment; filename="[\w.+-]*"; filename\*=UTF-8''((?:[\w.~!-]|%[0-9A-F]{2})+)$/
        expect(decodeURIComponent(disposition.exec(String(headers['content-disposition']))?.[1] ?? '')).toBe(name)
      }
    }
    expect(counts.uploads / names.length).toBeGreaterThan(70 / 150)
    expect(counts.assets / names.length).toBeGreaterThan(60 / 150)
    const fresh = [...(await files())].filter((path) => !before.has(path))
    expect(fresh.filter((path) => !/^\/(uploads|artifacts(\/[0-9A-Z]{2}(\/[0-9A-Z]{26})?)?)$/.test(path))).toEqual([])
    const stored = (await storedIn(api)).filter((key) => !storedBefore.has(key))
    expect(stored.filter((key) => !/^[0-9A-Z]{26}$/.test(key))).toEqual([])
    expect(stored).toHaveLength(counts.uploads)
    expect((await readdir(tmpdir())).filter((name) => name.includes('teasel-t15'))).toEqual([])
  })

  it('a name with a backslash, which is refused for a new file, is still good in a manifest that was signed with it', () => {
    const file = { name: 'a\\b', kind: 'payload' as const, size: 10 }
    expect([is(file.name, AssetName), is(file, NewAsset), is({ ...file, name: 'b' }, NewAsset)]).toEqual([true, false, true])
  })

  it.each([
    ['a key without a value', 'filename', 422],
    ['a value that is no base64', 'filename ../x', 400],
    ['a key twice', 'filename eA==,filename eQ==', 400],
    ['a key that every object has', '__proto__ eA==', 400],
    ['a key that is not known', '../x eA==', 422],
    ['bytes that are no UTF-8', `filename ${Buffer.from([0x2f, 0xff, 0xfe]).toString('base64')}`, 422],
    ['a line break', `filename ${Buffer.from('a\r\nX-Session-Token: x').toString('base64')}`, 422],
    ['nothing', '', 400],
  ])('Upload-Metadata with %s is refused', async (_, said, status) => {
    const { assetId, releaseId } = await draft(randomBytes(10))
    const target = `purpose ${Buffer.from('release_asset').toString('base64')},target_id ${Buffer.from(assetId).toString('base64')}`
    const answer = await api.app.inject({
      method: 'POST',
      url: '/uploads',
      headers: {
        host: new URL(api.config.urls.api).host,
        ...authorization(ines),
        'tus-resumable': '1.0.0',
        'upload-length': '10',
        'upload-metadata': said === '' ? ',' : `${said},${target}`,
      },
    })
    expect(answer.statusCode, answer.payload).toBe(status)
    if (status === 422) expect(answer.json().error.details[0].field).toMatch(/^(filename|\.\.\/x)$/)
    expect(await assetOf(releaseId)).toMatchObject({ state: 'expected' })
  })
})

describe('T-15: archives are stored, and never unpacked or listed by the server', () => {
  it.each(knownBombs.slice(0, repetitions(1, 2)))('%s', async (_, made) => {
    const { bytes, total } = overlapZip(made)
    expect(total / bytes.length).toBeGreaterThan(100_000)
    const used = async () => {
      let sum = 0
      for (const one of await readdir(api.config.dataDirectory, { recursive: true, withFileTypes: true }))
        if (one.isFile() && !/\/artifacts\//.test(one.parentPath)) sum += (await stat(join(one.parentPath, one.name))).size
      for (const key of await storedIn(api)) sum += (await api.deps.storage.size(key)) ?? 0
      return sum
    }
    const facts = { name: `Archive ${version}`, version: version++, type: 'zip_archive' as const, hardware_models: ['gw'] }
    const releaseId = (await api.call(createRelease, { projectId }, { as: ines, body: facts })).body.id
    const body = { name: 'app.zip', kind: 'archive' as const, size: bytes.length, install_location: '/opt/app' }
    const asset = await api.call(createAsset, { releaseId }, { as: ines, body })
    const [disk, memory] = [await used(), process.memoryUsage.rss()]
    await uploadFile(api, ines, asset.body.id, bytes)
    const final = await api.call(finalizeRelease, { releaseId }, { as: ines, body: {} })
    expect(final.status, final.text).toBe(200)
    expect(await assetOf(releaseId)).toMatchObject({ state: 'ready', size: bytes.length, sha256: sha256(bytes) })
    expect((await used()) - disk).toBe(bytes.length)
    expect((process.memoryUsage.rss() - memory) / 2 ** 20).toBeLessThan(150)
  })
})
