import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eq, sql } from 'drizzle-orm'
import * as ddi from '../../contract/ddi/endpoints'
import { issueDeviceToken, decommissionDevice } from '../../contract/fleet/device-lifecycle'
import { createAuthority, revokeEnrollmentToken } from '../../contract/fleet/enrollment-tokens'
import { type Endpoint, pathOf } from '../../contract/core/endpoint'
import { hashOf } from '../../server/core/tokens/token'
import { deviceTokens, devices, enrollmentTokens } from '../../server/fleet/schema/devices'
import { createTestApi, type TestApi } from '../support/api'
import { firstAuthority, secondAuthority } from '../support/ddi/authorities'
import { createDdiScene, type DdiScene } from '../support/ddi/scene'
import { createTestObjects } from '../support/test-objects'

/** `in`: the guard admits the call. */
type Expected = 'in' | 401 | 403 | 404
type Actor = {
  name: string
  authorization: string | undefined
  controllerId: string
  tenant?: string
  /** What a proxy says of its certificate, from its address. */
  proxied?: { headers: Record<string, string>; from: string }
  root: Expected
  others: Expected
}

let api: TestApi
let scene: DdiScene
let actors: Actor[]

const row = async (id: string) => {
  const [found] = await api.db.select().from(devices).where(eq(devices.serialNumber, id))
  if (!found) throw new Error(`no device ${id}`)
  return found
}

/** A DDI device with a token of its own. */
const own = async (at: DdiScene, id: string) => {
  const { token } = await at.gateway()
  await at.controller(id, `GatewayToken ${token}`).poll()
  const { id: deviceId, projectId } = await row(id)
  const issued = await api.call(issueDeviceToken, { deviceId }, { as: at.ines, body: { overlap_s: 0 } })
  expect(issued.status, issued.text).toBe(201)
  return { deviceId, projectId, token: issued.body.device_token, gateway: token }
}

beforeAll(async () => {
  api = await createTestApi({ TEASEL_DDI_TRUSTED_PROXIES: '10.0.0.2' })
  scene = await createDdiScene(api)
  const far = await createDdiScene(api)
  const mine = await own(scene, 'mine')
  const other = await own(scene, 'other')
  const foreign = await own(far, 'foreign')
  const gone = await own(scene, 'gone')
  await api.call(decommissionDevice, { deviceId: gone.deviceId }, { as: scene.ines })
  const rotated = await own(scene, 'rotated')
  const expired = await own(scene, 'expired')
  await api.db
    .update(deviceTokens)
    .set({ expiresAt: api.deps.clock() })
    .where(eq(deviceTokens.tokenHash, hashOf(expired.token)))
  const group = await scene.gateway()
  await scene.controller('member', `GatewayToken ${group.token}`).poll()
  const second = await scene.gateway()
  const ended = await scene.gateway()
  await scene.controller('registered', `GatewayToken ${ended.token}`).poll()
  await api.db.update(enrollmentTokens).set({ expiresAt: api.deps.clock() }).where(eq(enrollmentTokens.id, ended.id))
  const used = await scene.gateway('swupdate', { max_uses: 1 })
  await scene.controller('only', `GatewayToken ${used.token}`).poll()
  const revoked = await scene.gateway()
  await scene.controller('cut', `GatewayToken ${revoked.token}`).poll()
  await api.call(revokeEnrollmentToken, { enrollmentTokenId: revoked.id }, { as: scene.ines })
  const agent = await createTestObjects(api.deps).device(scene.projectId)
  await api.db.update(devices).set({ serialNumber: 'agent' }).where(eq(devices.id, agent.id))
  const imported = await own(scene, 'imported')
  const secret = 'a-token-of-another-server'
  await api.db.insert(deviceTokens).values({
    tokenHash: hashOf(`ddi\nimported\n${secret}`),
    projectId: imported.projectId,
    deviceId: imported.deviceId,
    prefix: '',
    createdAt: api.deps.clock(),
  })
  const authority = async (certificate_pem: string) => {
    const body = { name: 'Devices', certificate_pem, hardware_model: 'swupdate' }
    const made = await api.call(createAuthority, { projectId: scene.projectId }, { as: scene.ines, body })
    expect(made.status, made.text).toBe(201)
    return made.body.id
  }
  const certified = (id: string, hash = firstAuthority.hash, from = '10.0.0.2') => ({
    headers: { 'x-controller-id': id, 'x-authority': hash },
    from,
  })
  await authority(firstAuthority.pem)
  const ofScene = (id: string) => `/${scene.projectId}/controller/v1/${id}`
  expect((await scene.send(undefined, ofScene('certified'), certified('certified'))).statusCode).toBe(200)
  const withdrawn = await authority(secondAuthority.pem)
  const { hash } = secondAuthority
  expect((await scene.send(undefined, ofScene('withdrawn'), certified('withdrawn', hash))).statusCode).toBe(200)
  await api.call(revokeEnrollmentToken, { enrollmentTokenId: withdrawn }, { as: scene.ines })
  const proxied = (
    name: string,
    controllerId: string,
    of: NonNullable<Actor['proxied']>,
    root: Expected,
    others = root,
    tenant: string = scene.projectId,
  ): Actor => ({ name, authorization: undefined, controllerId, root, others, tenant, proxied: of })
  const target = (token: string) => `TargetToken ${token}`
  const gateway = (token: string) => `GatewayToken ${token}`
  const actor = (
    name: string,
    authorization: string | undefined,
    controllerId: string,
    root: Expected,
    others = root,
    tenant?: string,
  ): Actor => ({
    name,
    authorization,
    controllerId,
    root,
    others,
    ...(tenant !== undefined && { tenant }),
  })
  actors = [
    actor('nobody', undefined, 'mine', 401),
    actor('own token', target(mine.token), 'mine', 'in'),
    actor('own token with the id of its project', target(mine.token), 'mine', 'in', 'in', mine.projectId),
    actor('own token with the id of another project', target(mine.token), 'mine', 401, 401, foreign.projectId),
    actor('token of another device', target(other.token), 'mine', 401),
    actor('token of another project', target(foreign.token), 'mine', 401),
    actor('unknown token', target('x'.repeat(40)), 'mine', 401),
    actor('own token as a gateway token', gateway(mine.token), 'mine', 401),
    actor('own token as a bearer', `Bearer ${mine.token}`, 'mine', 401),
    actor('token of a session', target(scene.ines.token), 'mine', 401),
    actor('decommissioned device', target(gone.token), 'gone', 403),
    actor('expired device token', target(expired.token), 'expired', 403),
    actor('imported token', target(secret), 'imported', 'in'),
    actor('imported token of another device', target(secret), 'mine', 401),
    actor('gateway token of its device', gateway(group.token), 'member', 'in'),
    actor('gateway token of another group', gateway(second.token), 'member', 401),
    actor('gateway token of a device with its own token', gateway(rotated.gateway), 'rotated', 401),
    actor('gateway token for an unknown device', gateway(group.token), 'unknown', 'in', 404),
    actor('expired gateway token of its device', gateway(ended.token), 'registered', 'in'),
    actor('expired gateway token for an unknown device', gateway(ended.token), 'never', 403),
    actor('used gateway token of its device', gateway(used.token), 'only', 'in'),
    actor('used gateway token for an unknown device', gateway(used.token), 'never', 403),
    actor('revoked gateway token of its device', gateway(revoked.token), 'cut', 403),
    actor('agent', target(agent.token), 'agent', 401),
    proxied('certificate of its device', 'certified', certified('certified'), 'in'),
    proxied('certificate for an unregistered device', 'certified-2', certified('certified-2'), 'in', 404),
    proxied('certificate of another device', 'certified', certified('withdrawn'), 401),
    proxied('certificate for a device with its own token', 'mine', certified('mine'), 401),
    proxied('certificate for a device of a gateway token', 'member', certified('member'), 401),
    proxied('certificate of a revoked authority', 'withdrawn', certified('withdrawn', hash), 403),
    proxied('certificate with the id of another project', 'certified', certified('certified'), 401, 401, foreign.projectId),
    proxied('certificate with a word as tenant', 'certified', certified('certified'), 401, 401, 'DEFAULT'),
    proxied('headers from an address that is no proxy', 'certified', certified('certified', undefined, '10.0.0.3'), 401),
  ]
})
afterAll(() => api.close())

/** All rows except counters and the audit log. */
const digest = async () => {
  const { rows } = await api.db.execute<{ sum: string }>(sql`
    select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as sum from devices t
    union all select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) from ddi_devices t
    union all select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) from enrollment_tokens t`)
  return rows
}

describe('T-01: each resource of DDI, called by each actor, answers as its needs say', () => {
  it.each(Object.entries(ddi) as [string, Endpoint][])('%s', async (name, endpoint) => {
    const before = await digest()
    const wrong: string[] = []
    // A tenant without the form of one is refused after the guard, and nothing changes.
    const call = (actor: Actor, tenant: string) =>
      api.app.inject({
        method: endpoint.method,
        url: pathOf(endpoint.path, {
          tenant,
          controllerId: actor.controllerId,
          actionId: '1000000000',
          artifactName: 'x',
        }),
        headers: {
          host: 'localhost:8080',
          ...(actor.authorization !== undefined && { authorization: actor.authorization }),
          ...actor.proxied?.headers,
        },
        ...(actor.proxied && { remoteAddress: actor.proxied.from }),
      })
    for (const actor of actors) {
      const expected = name === 'root' ? actor.root : actor.others
      // Its tenant must be its project, and with that a call would change something.
      if (actor.proxied && expected === 'in') continue
      const { statusCode, payload } = await call(actor, expected === 'in' ? '*' : (actor.tenant ?? 'default'))
      // The guard has admitted the caller and refused the form of the tenant.
      const seen = expected === 'in' && statusCode === 404 ? 'in' : statusCode
      if (seen !== expected) wrong.push(`${actor.name}: expected ${expected}, got ${statusCode} ${payload}`)
      if (endpoint.errors === 'ddi' && statusCode >= 400) {
        const { exceptionClass, errorCode, message } = JSON.parse(payload)
        if (![exceptionClass, message].every((text) => typeof text === 'string') || !/^teasel\.\w+$/.test(errorCode))
          wrong.push(`${actor.name}: ${payload}`)
      }
    }
    expect(wrong).toEqual([])
    expect(await digest()).toEqual(before)
  })

  it('admits to the root exactly those that it should', async () => {
    const seen = []
    for (const { name, authorization, controllerId, tenant, proxied } of actors) {
      const answer = await scene.send(authorization, `/${tenant ?? 'DEFAULT'}/controller/v1/${controllerId}`, proxied)
      seen.push([name, answer.statusCode === 200 ? 'in' : answer.statusCode])
    }
    expect(seen).toEqual(actors.map(({ name, root }) => [name, root]))
  })
})
