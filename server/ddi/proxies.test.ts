import { request } from 'node:http'
import { and, eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuthority, enrollmentTokens, revokeEnrollmentToken } from '../../contract/fleet/enrollment-tokens'
import { projectAuditLog } from '../../contract/accounts/audit'
import { createTestApi, type TestApi } from '../../tests/support/api'
import { deviceCertificate, firstAuthority, secondAuthority } from '../../tests/support/ddi/authorities'
import { createDdiScene, type DdiScene } from '../../tests/support/ddi/scene'
import { freePort } from '../../tests/support/free-port'
import { readCertificateHash } from '../fleet/enrollment/certificate'
import { devices } from '../fleet/schema/devices'

const proxy = '10.0.0.2'
/** Trusted for the address of clients, not for their certificates. */
const otherProxy = '10.0.0.3'
let api: TestApi
let scene: DdiScene
let port: number
beforeAll(async () => {
  port = await freePort()
  api = await createTestApi({
    TEASEL_API_PORT: String(port),
    TEASEL_TRUSTED_PROXIES: otherProxy,
    TEASEL_DDI_TRUSTED_PROXIES: `${proxy}, fd00::/8, 127.0.0.1`,
  })
  scene = await createDdiScene(api)
  await list(scene)
  await api.app.listen({ port, host: '127.0.0.1' })
})
afterAll(() => api.close())

const facts = { name: 'Devices', certificate_pem: firstAuthority.pem, hardware_model: 'swupdate' }
const list = async (at: DdiScene, more: Partial<typeof facts> = {}) => {
  const made = await api.call(createAuthority, { projectId: at.projectId }, { as: at.ines, body: { ...facts, ...more } })
  expect(made.status, made.text).toBe(201)
  return made.body
}

type Sent = { tenant?: string; from?: string; headers?: Record<string, string>; authorization?: string }
const poll = (id: string, { tenant = scene.projectId, from = proxy, headers, authorization }: Sent = {}) =>
  scene.send(authorization, `/${tenant}/controller/v1/${id}`, {
    from,
    headers: { 'x-controller-id': id, 'x-authority': firstAuthority.hash, ...headers },
  })
const find = (projectId: string, id: string) =>
  api.db
    .select()
    .from(devices)
    .where(and(eq(devices.projectId, projectId), eq(devices.serialNumber, id)))

describe('a client whose certificate a trusted proxy has verified', () => {
  it('registers once with the model of its authority, reports, and the audit log names the authority', async () => {
    for (const answer of await Promise.all([poll('gw-1'), poll('gw-1')])) expect(answer.statusCode, answer.payload).toBe(200)
    const put = await scene.send(undefined, `/${scene.projectId}/controller/v1/gw-1/configData`, {
      from: proxy,
      method: 'PUT',
      payload: { data: { sw_version: '1.0.0' } },
      headers: { 'x-controller-id': 'gw-1', 'x-authority': firstAuthority.hash },
    })
    expect(put.statusCode).toBe(200)
    const found = await find(scene.projectId, 'gw-1')
    expect(found).toHaveLength(1)
    expect(found[0]).toMatchObject({ hardwareModel: 'swupdate', protocol: 'ddi', lifecycle: 'active' })
    expect(found[0]?.attributes).toMatchObject({ sw_version: '1.0.0' })
    const log = await api.call(projectAuditLog, { projectId: scene.projectId }, { as: scene.ines })
    const entries = log.body.entries.filter(({ target }) => target.name === 'gw-1')
    expect(entries.map(({ action, actor }) => [action, actor.kind, actor.name])).toEqual([
      ['device.enroll', 'enrollment_token', 'Devices'],
    ])
  })

  it('may come through IPv6, through a mapped address, and with the hash in lower case', async () => {
    const plain = firstAuthority.hash.replaceAll(':', '').toLowerCase()
    for (const from of ['fd00::9', `::ffff:${proxy}`])
      expect((await poll('gw-1', { from, headers: { 'x-authority': plain } })).statusCode).toBe(200)
  })

  const refused: readonly (readonly [string, () => Sent])[] = [
    ['from an address that is no trusted proxy', () => ({ from: '10.0.0.4' })],
    ['from an address that claims to be a trusted proxy', () => ({ from: otherProxy, headers: { 'x-forwarded-for': proxy } })],
    ['with the common name of another device', () => ({ headers: { 'x-controller-id': 'gw-1' } })],
    ['without a common name', () => ({ headers: { 'x-controller-id': '' } })],
    ['with an unknown authority', () => ({ headers: { 'x-authority': secondAuthority.hash } })],
    ['without an authority', () => ({ headers: { 'x-authority': '' } })],
    ['with a part of the hash', () => ({ headers: { 'x-authority': firstAuthority.hash.slice(0, -1) } })],
    ['with a word as tenant, which names no project', () => ({ tenant: 'DEFAULT' })],
    ['with the id of a project that does not list the authority', () => ({ tenant: '01HZZZZZZZZZZZZZZZZZZZZZZZ' })],
    ['with a token that is wrong', () => ({ authorization: `TargetToken ${'x'.repeat(40)}` })],
    ['with credentials of another kind', () => ({ authorization: 'Basic eDp4' })],
  ]
  it.each(refused)('is refused %s', async (_name, sent) => {
    expect((await poll('gw-refused', sent())).statusCode).toBe(401)
    expect(await find(scene.projectId, 'gw-refused')).toEqual([])
  })

  it('is refused if a header arrives twice', async () => {
    const statusOf = (headers: Record<string, string | string[]>) =>
      new Promise<number | undefined>((resolve, reject) => {
        const path = `/${scene.projectId}/controller/v1/gw-twice`
        const sent = { 'x-controller-id': 'gw-twice', 'x-authority': firstAuthority.hash, ...headers }
        request({ host: '127.0.0.1', port, path, headers: sent }, (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        })
          .on('error', reject)
          .end()
      })
    expect(await statusOf({ 'x-authority': [secondAuthority.hash, firstAuthority.hash] })).toBe(401)
    expect(await statusOf({ 'x-authority': [firstAuthority.hash, firstAuthority.hash] })).toBe(401)
    expect(await statusOf({ 'x-controller-id': ['gw-twice', 'gw-1'] })).toBe(401)
    expect(await find(scene.projectId, 'gw-twice')).toEqual([])
    expect(await statusOf({})).toBe(200)
  })

  it('joins the project that its tenant names, where two projects list its authority', async () => {
    const far = await createDdiScene(api)
    await list(far, { hardware_model: 'rauc' })
    for (const { projectId } of [scene, far]) expect((await poll('gw-both', { tenant: projectId })).statusCode).toBe(200)
    const models = async ({ projectId }: DdiScene) => (await find(projectId, 'gw-both')).map(({ hardwareModel }) => hardwareModel)
    expect([await models(scene), await models(far)]).toEqual([['swupdate'], ['rauc']])
  })

  it('is refused after its authority was revoked, and admitted again when that is listed again', async () => {
    const second = { certificate_pem: secondAuthority.pem }
    const headers = { 'x-authority': secondAuthority.hash }
    const { id } = await list(scene, second)
    expect((await poll('gw-back', { headers })).statusCode).toBe(200)
    expect((await api.call(revokeEnrollmentToken, { enrollmentTokenId: id }, { as: scene.ines })).status).toBe(204)
    for (const one of ['gw-back', 'gw-new']) {
      const answer = await poll(one, { headers })
      expect([answer.statusCode, answer.json().errorCode]).toEqual([403, 'teasel.token_revoked'])
    }
    await list(scene, second)
    expect((await poll('gw-back', { headers })).statusCode).toBe(200)
    const found = [await find(scene.projectId, 'gw-back'), await find(scene.projectId, 'gw-new')]
    expect(found.map(({ length }) => length)).toEqual([1, 0])
  })
})

it('is read by no server that lists no proxy', async () => {
  const closed = await createTestApi({ TEASEL_TRUSTED_PROXIES: '127.0.0.1' })
  const there = await createDdiScene(closed)
  const made = await closed.call(createAuthority, { projectId: there.projectId }, { as: there.ines, body: facts })
  expect(made.status).toBe(201)
  const headers = { 'x-controller-id': 'gw-1', 'x-authority': firstAuthority.hash }
  expect((await there.send(undefined, `/${there.projectId}/controller/v1/gw-1`, { headers })).statusCode).toBe(401)
  await closed.close()
})

describe('an authority', () => {
  it('is listed among the enrollment tokens with its hash, and the audit log names who added and revoked it', async () => {
    const own = await createDdiScene(api)
    const { projectId, ines } = own
    const made = await list(own, { name: 'Factory' })
    await api.call(revokeEnrollmentToken, { enrollmentTokenId: made.id }, { as: ines })
    const [listed] = (await api.call(enrollmentTokens, { projectId }, { as: ines })).body.enrollment_tokens
    const authority = firstAuthority.hash.replaceAll(':', '').toLowerCase()
    expect(listed).toMatchObject({ id: made.id, name: 'Factory', authority, hardware_model: 'swupdate', state: 'revoked' })
    const log = await api.call(projectAuditLog, { projectId }, { as: ines })
    const entries = log.body.entries.filter(({ target }) => target.name === 'Factory')
    expect(entries.map(({ action, actor }) => [action, actor.kind])).toEqual([
      ['enrollment_token.revoke', 'user'],
      ['enrollment_token.create', 'user'],
    ])
  })

  it.each([
    ['twice', { certificate_pem: firstAuthority.pem }, 'certificate_pem', 'taken'],
    ['with the certificate of a device', { certificate_pem: deviceCertificate }, 'certificate_pem', 'no_authority'],
    [
      'with a certificate that cannot be read',
      { certificate_pem: firstAuthority.pem.replace('MII', 'AAA') },
      'certificate_pem',
      'unreadable',
    ],
    ['with two certificates', { certificate_pem: `${firstAuthority.pem}\n${secondAuthority.pem}` }, 'certificate_pem', 'pem'],
    ['with a model that the project does not list', { hardware_model: 'unknown' }, 'hardware_model', 'not_listed'],
  ])('is not added %s', async (_name, more, field, code) => {
    const { projectId, ines } = scene
    const made = await api.call(createAuthority, { projectId }, { as: ines, body: { ...facts, ...more } })
    const [detail] = made.error.details
    expect([made.status, detail?.field, detail?.code]).toEqual([422, field, code])
  })

  it('is not added after it has expired', () => {
    expect(() => readCertificateHash(firstAuthority.pem, new Date('2200-01-01T00:00:00Z'))).toThrow()
    expect(readCertificateHash(firstAuthority.pem, new Date('2030-01-01T00:00:00Z'))).toHaveLength(64)
  })
})
