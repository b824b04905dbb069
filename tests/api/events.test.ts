import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../server/core/database/clients'
import { createEnrollmentToken } from '../../contract/fleet/enrollment-tokens'
import { createAccessToken } from '../../contract/accounts/access-tokens'
import { acceptDevice, decommissionDevice } from '../../contract/fleet/device-lifecycle'
import * as wire from '../../contract/device/endpoints'
import { createDevice } from '../../contract/fleet/devices'
import { eventDays } from '../../contract/accounts/events'
import { revokeSigningKey } from '../../contract/fleet/keys'
import { updateProject } from '../../contract/accounts/project-changes'
import { project as projectEndpoint } from '../../contract/accounts/projects'
import { revokeRelease } from '../../contract/updates/releases'
import * as steps from '../../contract/updates/rollout-steps'
import { announceExpiringTokens } from '../../server/accounts/access-tokens/expiring'
import { events } from '../../server/core/database/schema/events'
import { eventChannel } from '../../server/core/events/emit'
import { findEvents, listEvents } from '../../server/core/events/repository'
import { idOfTime } from '../../server/core/ids'
import { announceExpiringKeys } from '../../server/fleet/keys/expiring'
import { signingKeys } from '../../server/fleet/schema/keys'
import { applyRetention } from '../../server/fleet/telemetry/retention'
import { createTestApi, type TestApi } from '../support/api'
import { checkInBody, enrollBody } from '../support/devices'
import { createReleaseFixture } from '../support/release-fixture'
import { createRolloutFixture } from '../support/rollout-fixture'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

const all = (projectId: string) => listEvents(api.db, projectId, idOfTime(new Date(0)), 1000)
const typesOf = async (projectId: string) => (await all(projectId)).map(({ type }) => type)

const own = async () => {
  const ann = await api.person({ name: 'Ann' })
  return { ann, projectId: await api.project({ ownerId: ann.id }) }
}

it('enrollment, acceptance, the first contact of an added device and decommissioning are events', async () => {
  const { ann, projectId } = await own()
  const enrollment = async (auto_accept: boolean) => {
    const body = { name: `Token ${auto_accept}`, kind: 'group' as const, auto_accept }
    const { body: token } = await api.call(createEnrollmentToken, { projectId }, { as: ann, body })
    const reply = await api.call(wire.enroll, {}, { as: token.token, body: enrollBody() })
    expect(reply.status, reply.text).toBe(201)
    return reply.body.device_id
  }
  await enrollment(true)
  const deviceId = await enrollment(false)
  await api.call(acceptDevice, { deviceId }, { as: ann })
  const added = await api.call(createDevice, { projectId }, { as: ann, body: { name: 'Added', hardware_model: 'gw' } })
  for (let n = 0; n < 2; n++) await api.call(wire.checkIn, {}, { as: added.body.device_token, body: checkInBody() })
  await api.call(decommissionDevice, { deviceId }, { as: ann })
  expect(await all(projectId)).toMatchObject([
    { type: 'device.enrolled', data: { by: null, hardware_model: 'gw-imx8m' } },
    { type: 'device.pending', data: { device: { id: deviceId } } },
    { type: 'device.enrolled', data: { device: { id: deviceId }, by: 'Ann' } },
    { type: 'device.enrolled', data: { device: { id: added.body.id, name: 'Added' } } },
    { type: 'device.decommissioned', data: { device: { id: deviceId }, by: 'Ann' } },
  ])
})

it('a rollout is told from its start to its end, with the ends of its updates and its release', async () => {
  const { ann, projectId } = await own()
  const play = await createRolloutFixture(api, ann, projectId, 3)
  const [first = '', second = '', third = ''] = play.ids
  const { id: rolloutId } = await play.start()
  await play.round([first])
  await play.round([second], 'boot_failed')
  const offer = await play.things.ask(third)
  if (!('envelope' in offer)) throw new Error(offer.text)
  await play.things.report(third, rolloutId, { type: 'rollback_completed', reason_code: 'boot_failed' })
  await play.tick()
  await api.call(steps.cancelRollout, { rolloutId }, { as: ann, body: { mode: 'abort_all', reason: 'Enough' } })
  await play.tick()
  await play.tick()
  await api.call(revokeRelease, { releaseId: play.release.id }, { as: ann, body: { reason: 'It fails' } })
  expect(await typesOf(projectId)).toEqual([
    'release.ready',
    'release.released',
    'rollout.started',
    'update.succeeded',
    'update.failed',
    'update.rolled_back',
    'rollout.halted',
    'rollout.cancelled',
    'release.revoked',
  ])
  const [failed] = await api.db.select().from(events).where(eq(events.type, 'update.failed'))
  expect(failed?.data).toMatchObject({ device: { id: second }, rollout_id: rolloutId, version: 2, error_code: 'boot_failed' })
})

it('what a transaction does not commit is no event, and readers are told only ids', async () => {
  const { ann, projectId } = await own()
  const listener = createClient({ connectionString: api.config.databaseUrl })
  await listener.connect()
  const heard: string[] = []
  listener.on('notification', ({ payload = '' }) => heard.push(payload))
  await listener.query(`listen ${eventChannel}`)
  const change = async (settings: object, headers: Record<string, string>) =>
    api.call(updateProject, { projectId }, { as: ann, body: { settings } as never, headers })
  const { headers } = await api.call(projectEndpoint, { projectId }, { as: ann })
  const match = { 'if-match': String(headers.etag) }
  expect((await change({ polling_interval_s: 120 }, match)).status).toBe(200)
  expect((await change({ polling_interval_s: 240 }, match)).status).toBe(412)
  const made = await all(projectId)
  expect(made).toMatchObject([{ type: 'project.settings_updated', data: { project: { id: projectId }, by: 'Ann' } }])
  await expect.poll(() => heard).toEqual([`${projectId} ${made[0]?.id}`])
  await listener.end()
  expect(await findEvents(api.db, [made[0]?.id ?? ''])).toEqual(made)
  expect(await listEvents(api.db, projectId, made[0]?.id ?? '', 10)).toEqual([])
})

it('keys and tokens that expire soon are told once at 30, 7 and 1 days, and a revoked key at once', async () => {
  const { ann, projectId } = await own()
  const { keyId } = await createReleaseFixture(api, ann, projectId)
  const expiresAt = new Date(api.deps.clock().getTime() + 40 * 86_400_000)
  await api.db.update(signingKeys).set({ expiresAt }).where(eq(signingKeys.id, keyId))
  const body = { name: 'ci', permissions: ['project:view' as const], lifetime_days: 30 as const }
  await api.call(createAccessToken, { projectId }, { as: ann, body })
  const found: string[] = []
  for (let day = 0; day < 42; day++) {
    for (let n = 0; n < 2; n++) {
      await announceExpiringTokens(api.deps)
      await announceExpiringKeys(api.deps)
    }
    const types = await typesOf(projectId)
    if (types.length > found.length) found.push(...types.slice(found.length).map((type) => `${day} ${type}`))
    api.advance(86_400)
  }
  expect(found).toHaveLength(5)
  expect(found.toSorted()).toEqual(
    ['10 key.expiring', '23 access_token.expiring', '29 access_token.expiring', '33 key.expiring', '39 key.expiring'].toSorted(),
  )
  const as = { ...ann, ...(await api.session(ann.id)) }
  await api.call(revokeSigningKey, { signingKeyId: keyId }, { as, body: { reason: 'Lost' } })
  expect((await all(projectId)).at(-1)).toMatchObject({ type: 'key.revoked', data: { key: { id: keyId }, reason: 'Lost' } })
})

it('events are kept for 30 days, and not longer than their project', async () => {
  const { projectId } = await own()
  const now = api.deps.clock()
  const row = (id: string, age: number, of: string) => ({
    id,
    projectId: of,
    type: 'project.settings_updated' as const,
    at: new Date(now.getTime() - age * 86_400_000),
    data: { project: { id: of, name: 'Gateways' }, by: null },
  })
  const rows = [row('old', eventDays + 1, projectId), row('recent', eventDays - 1, projectId), row('other', 1, 'gone')]
  await api.db.insert(events).values(rows)
  await applyRetention(api.db, now)
  const left = (await api.db.select().from(events)).map(({ id }) => id)
  expect(left).toContain('recent')
  expect(left).not.toContain('old')
  expect(left).not.toContain('other')
})
