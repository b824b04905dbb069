import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectAuditLog } from '../../../contract/accounts/audit'
import { fromBase64, toBase64 } from '../../../contract/device/bytes'
import { sign } from '../../../contract/device/dsse'
import { payloadType } from '../../../contract/device/manifest'
import { generateSigningKey } from '../../../contract/device/private-key'
import { pemOf } from '../../../contract/device/public-key'
import { createSigningKey } from '../../../contract/fleet/keys'
import * as releaseSigning from '../../../contract/updates/release-signing'
import * as contract from '../../../contract/updates/releases'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { createReleaseFixture } from '../../../tests/support/release-fixture'
import { releases } from '../schema/releases'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

/** A release with a built, unsigned manifest. */
const built = async () => {
  const ines = await api.person({ name: 'Ines' })
  const projectId = await api.project({ ownerId: ines.id })
  const maker = await createReleaseFixture(api, ines, projectId)
  const { releaseId } = await maker.filled({ version: 2, bytes: randomBytes(64) })
  const params = { releaseId }
  const finalize = () => api.call(releaseSigning.finalizeRelease, params, { as: ines, body: {} })
  const first = await finalize()
  const reopen = () => api.call(releaseSigning.reopenRelease, params, { as: ines })
  const read = async () => (await api.call(contract.release, params, { as: ines })).body
  const give = (signature_base64: string, key_id = maker.keyId) =>
    api.call(releaseSigning.signRelease, params, { as: ines, body: { key_id, signature_base64 } })
  return { ines, projectId, maker, releaseId, params, first: first.body, finalize, reopen, read, give }
}

describe('a release with an unsigned manifest', () => {
  it('becomes a draft again when reopened, can be changed, built and signed again', async () => {
    const play = await built()
    const reopened = await play.reopen()
    expect([reopened.status, reopened.body.state, reopened.body.manifest]).toEqual([200, 'draft', null])
    const log = (await api.call(projectAuditLog, { projectId: play.projectId }, { as: play.ines })).body.entries
    expect(log[0]).toMatchObject({ action: 'release.reopen', target: { id: play.releaseId } })

    const headers = { 'if-match': `"${reopened.body.revision}"` }
    const changed = await api.call(contract.updateRelease, play.params, { as: play.ines, headers, body: { name: 'Mended' } })
    expect(changed.status, changed.text).toBe(200)
    api.advance(5)
    const second = await play.finalize()
    expect(second.body.to_sign.manifest_sha256).not.toBe(play.first.to_sign.manifest_sha256)
    const { signature_base64 } = await play.maker.signature(play.releaseId)
    expect((await play.give(signature_base64)).body).toMatchObject({ state: 'ready', name: 'Mended' })
  })

  it('refuses changes with a message that says how to make them', async () => {
    const play = await built()
    const headers = { 'if-match': `"${(await play.read()).revision}"` }
    const refused = await api.call(contract.updateRelease, play.params, { as: play.ines, headers, body: { name: 'Mended' } })
    expect([refused.status, refused.error.message]).toEqual([409, 'The manifest is built. Reopen the release to change it'])
  })

  it('can be deleted', async () => {
    const play = await built()
    const headers = { 'if-match': `"${(await play.read()).revision}"` }
    expect((await api.call(contract.deleteRelease, play.params, { as: play.ines, headers })).status).toBe(204)
  })
})

it('a release that is signed, or still a draft, is not reopened', async () => {
  const play = await built()
  const { signature_base64 } = await play.maker.signature(play.releaseId)
  await play.give(signature_base64)
  const late = await play.reopen()
  expect([late.status, late.error.message]).toEqual([409, 'Only an unsigned manifest can be discarded. Create a new release'])
  const deleted = await api.call(contract.deleteRelease, play.params, {
    as: play.ines,
    headers: { 'if-match': `"${(await play.read()).revision}"` },
  })
  expect([deleted.status, deleted.error.code]).toEqual([409, 'not_a_draft'])
  const other = await built()
  await other.reopen()
  expect((await other.reopen()).error.message).toBe('The release is already a draft')
})

it('signing and reopening at the same time never leave a draft with a signature', async () => {
  for (let round = 0; round < 5; round++) {
    const play = await built()
    const { signature_base64 } = await play.maker.signature(play.releaseId)
    const answers = await Promise.all([play.give(signature_base64), play.reopen()])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const { state, signatures } = await play.read()
    expect([state, signatures.length]).toEqual(answers[0].status === 200 ? ['ready', 1] : ['draft', 0])
  }
})

it('T-17: the database refuses to delete or replace a signed manifest', async () => {
  const play = await built()
  const { signature_base64 } = await play.maker.signature(play.releaseId)
  const where = eq(releases.id, play.releaseId)
  await expect(api.db.update(releases).set({ payload: 'e30=' }).where(where)).rejects.toThrow()
  await play.give(signature_base64)
  await expect(api.db.update(releases).set({ payload: null, state: 'draft' }).where(where)).rejects.toThrow()
})

describe('a signature that does not match is refused with the reason', () => {
  const refusalOf = async (answer: Awaited<ReturnType<Awaited<ReturnType<typeof built>>['give']>>) => {
    const [detail] = answer.error.details
    return [answer.status, answer.error.code, detail?.field, detail?.code, detail?.message]
  }

  it('by another key of the project, which is named', async () => {
    const play = await built()
    const other = await generateSigningKey('ed25519')
    const body = { name: 'Night shift', algorithm: 'ed25519' as const, public_key_pem: pemOf(other.publicKey) }
    await api.call(createSigningKey, { projectId: play.projectId }, { as: play.ines, body })
    const payload = fromBase64(play.first.to_sign.payload_base64) ?? new Uint8Array()
    const { signature } = await sign(other, payloadType, payload)
    const text = 'This signature was made with the key Night shift. Choose that key or sign with the chosen one'
    expect(await refusalOf(await play.give(toBase64(signature)))).toEqual([
      422,
      'bad_signature',
      'signature_base64',
      'other_key',
      text,
    ])
  })

  it('for the bare file', async () => {
    const play = await built()
    const payload = fromBase64(play.first.to_sign.payload_base64) ?? new Uint8Array()
    const bare = new Uint8Array(await crypto.subtle.sign('Ed25519', play.maker.key.privateKey, payload))
    expect((await refusalOf(await play.give(toBase64(bare)))).slice(0, 4)).toEqual([
      422,
      'bad_signature',
      'signature_base64',
      'bare_payload',
    ])
  })

  it('for an earlier manifest', async () => {
    const play = await built()
    const { signature_base64 } = await play.maker.signature(play.releaseId)
    await play.reopen()
    api.advance(5)
    await play.finalize()
    expect((await refusalOf(await play.give(signature_base64)))[3]).toBe('other_bytes')
  })

  it('cut short', async () => {
    const play = await built()
    const refused = await refusalOf(await play.give(randomBytes(48).toString('base64')))
    expect(refused[3]).toBe('length')
    expect(refused[4]).toBe('This has 48 bytes; a signature by this key (ed25519) has 64 bytes. Copy the whole signature')
  })

  it('not base 64', async () => {
    const play = await built()
    expect((await refusalOf(await play.give('nothing of the kind'))).slice(0, 4)).toEqual([
      422,
      'invalid',
      'signature_base64',
      'base64',
    ])
  })
})
