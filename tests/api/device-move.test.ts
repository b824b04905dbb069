import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildAgent, killAtRename, type Running, setUpAgent, start } from '../../agent/testing/agent-process'
import { createEnrollmentToken } from '../../contract/fleet/enrollment-tokens'
import { organizationAuditLog, projectAuditLog } from '../../contract/accounts/audit'
import { checkIn } from '../../contract/device/endpoints'
import { moveDevice, restoreDevice } from '../../contract/fleet/device-lifecycle'
import { deviceInstallations } from '../../contract/updates/device-updates'
import { createDevice, type Device, device as readDevice, devices, updateDevice } from '../../contract/fleet/devices'
import type { BodyOf } from '../../contract/core/endpoint'
import { defaultGate, previewRollout } from '../../contract/updates/rollout-plans'
import { cancelRollout, startRollout } from '../../contract/updates/rollout-steps'
import { createRollout, rolloutDevices } from '../../contract/updates/rollouts'
import { createTag } from '../../contract/fleet/tags'
import { organizations } from '../../server/accounts/schema/organizations'
import { projects } from '../../server/accounts/schema/projects'
import { verify } from '../../server/core/audit/chain'
import { devices as deviceTable, deviceTokens } from '../../server/fleet/schema/devices'
import { tickRollouts } from '../../server/updates/rollouts/tick'
import { createTestApi, type TestApi } from '../support/api'
import { createDdiScene } from '../support/ddi/scene'
import { checkInBody } from '../support/devices'
import { freePort } from '../support/free-port'
import type { Person } from '../support/people'
import { createReleaseFixture } from '../support/release-fixture'
import { createTestObjects } from '../support/test-objects'

let api: TestApi
let agent: string
let ines: Person
const running: Running[] = []

beforeAll(async () => {
  agent = await buildAgent()
  const port = await freePort()
  api = await createTestApi({ TEASEL_API_PORT: String(port) })
  api.advance((Date.now() - api.deps.clock().getTime()) / 1000)
  await api.app.listen({ port, host: '127.0.0.1' })
  ines = await api.person()
})
afterAll(async () => {
  for (const one of running) await one.kill('SIGKILL')
  await api.close()
})

const show = async (deviceId: string) => (await api.call(readDevice, { deviceId }, { as: ines })).body

const move = async (deviceId: string, body: BodyOf<typeof moveDevice>, as: Person = ines) => {
  const { revision } = await show(deviceId)
  return api.call(moveDevice, { deviceId }, { as, body, headers: { 'if-match': `"${revision}"` } })
}
const moved = async (deviceId: string, body: BodyOf<typeof moveDevice>): Promise<Device> => {
  const answer = await move(deviceId, body)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

const rollOut = async (maker: Awaited<ReturnType<typeof createReleaseFixture>>, version: number, content: string) => {
  const wanted = { version, bytes: Buffer.from(content), models: ['gw-imx8m'], displayVersion: `2.${version}.0` }
  const { id: releaseId } = await maker.signed({ ...wanted, reboot: 'after_install' })
  const gate = { ...defaultGate, min_sample: 1, min_success_percent: 0, max_failure_percent: 100, soak_s: 3600 }
  const plan = { target: { everything: true }, waves: [{ kind: 'percent' as const, value: 100, gate }] }
  const seen = await api.call(previewRollout, { releaseId }, { as: ines, body: plan })
  const body = { ...plan, preview_hash: seen.body.preview_hash }
  const made = await api.call(createRollout, { releaseId }, { as: ines, body })
  const begun = await api.call(startRollout, { rolloutId: made.body.id }, { as: ines, body: {} })
  expect(begun.status, begun.text).toBe(200)
  return made.body.id
}

it('a real agent follows to the other project and back: it installs what the project of the moment offers, by its own token', async () => {
  const [from, to] = [await api.organization(ines, 'From'), await api.organization(ines, 'To')]
  const fromId = await api.project({ organizationId: from.id }, 'Field')
  const toId = await api.project({ organizationId: to.id }, 'Workshop')
  const makers = { from: await createReleaseFixture(api, ines, fromId), to: await createReleaseFixture(api, ines, toId) }
  for (const projectId of [fromId, toId])
    await api.call(createTag, { projectId }, { as: ines, body: { name: 'pilot', colour: 'moss' } })
  await api.call(createTag, { projectId: fromId }, { as: ines, body: { name: 'roof', colour: 'sky' } })
  const { body: group } = await api.call(
    createEnrollmentToken,
    { projectId: fromId },
    { as: ines, body: { name: 'Field', auto_accept: true, default_tags: ['pilot', 'roof'] } },
  )
  const server = { url: api.config.urls.api, enrollmentToken: group.token }
  const keys = [makers.from.key.publicKey, makers.to.key.publicKey]
  const setup = setUpAgent(server, keys, { name: 'gateway', project_id: fromId })
  const begin = (nodeOptions: readonly string[] = []) => {
    const one = start(agent, ['--config', setup.configPath, '--once'], undefined, nodeOptions)
    running.push(one)
    return one
  }
  const run = async () => {
    const one = begin()
    expect(await one.ended, one.output()).toBe(0)
  }
  await run()
  await rollOut(makers.from, 1, 'from 1')
  await run()
  await tickRollouts(api.deps)
  const [at] = (await api.call(devices, { projectId: fromId }, { as: ines })).body.devices
  if (!at) throw new Error('no device')
  const waitingId = await rollOut(makers.from, 3, 'from 3')
  const reasonOf = async () => {
    await tickRollouts(api.deps)
    const { body } = await api.call(rolloutDevices, { rolloutId: waitingId }, { as: ines })
    return body.devices.map(({ state, reason }) => [state, reason])
  }

  const there = await moved(at.id, { project_id: toId })
  expect(there).toMatchObject({ project_id: toId, name: 'gateway', tags: [{ name: 'pilot' }], update: null })
  expect(there.installed).toMatchObject({ release_id: null, name: 'Firmware 1', version: 1, confirmed: true })
  expect((await api.call(readDevice, { deviceId: at.id }, { as: ines })).status).toBe(404)
  expect(await reasonOf()).toEqual([['held', 'The device was moved to another project']])
  const deleted = await api.call(devices, { projectId: fromId }, { as: ines, query: { deleted: 'true' } })
  expect(deleted.body.devices).toEqual([])
  const restored = await api.call(restoreDevice, { deviceId: at.id }, { as: ines })
  expect([restored.status, restored.error.code]).toEqual([409, 'conflict'])

  // Killed when it has written the new project beside its state: it has the former project, and follows at the next start.
  const written = () => {
    const { persistent_directory: folder } = setup.config
    const fresh = readdirSync(folder).filter((name) => name.startsWith('state.json.'))
    return fresh.some((name) => readFileSync(join(folder, name), 'utf8').includes(`"moved":{"device_id":"${at.id}"`))
  }
  for (let round = 1; round <= 6 && !written(); round++) await begin(killAtRename('state.json', round)).ended
  expect([written(), setup.state().moved]).toEqual([true, undefined])
  await rollOut(makers.to, 2, 'to 2')
  await run()
  expect(setup.state().moved).toEqual({ device_id: at.id, project_id: toId })
  expect(setup.file('opt/app.bin')).toBe('to 2')
  await tickRollouts(api.deps)
  expect(await show(there.id)).toMatchObject({ installed: { name: 'Firmware 2', version: 2, confirmed: true } })

  const back = await moved(there.id, { project_id: fromId })
  expect(back).toMatchObject({ id: at.id, project_id: fromId, tags: [{ name: 'pilot' }, { name: 'roof' }] })
  expect(await reasonOf()).toEqual([['queued', 'Gets it at its next check-in']])
  await run()
  expect(setup.file('opt/app.bin')).toBe('from 3')
  await tickRollouts(api.deps)
  const { releases } = (await api.call(deviceInstallations, { deviceId: at.id }, { as: ines })).body
  expect(releases.map(({ version }) => version)).toEqual([3, 2, 1])

  const entriesOf = async (projectId: string) =>
    (await api.call(projectAuditLog, { projectId }, { as: ines, query: { action: 'device.move' } })).body.entries
  for (const [projectId, ids] of [
    [fromId, [at.id, at.id]],
    [toId, [there.id, there.id]],
  ] as const) {
    const entries = await entriesOf(projectId)
    expect(entries.map(({ target }) => target.id)).toEqual(ids)
    expect(entries[1]?.changes).toEqual([
      { field: 'project', before: 'Field', after: 'Workshop' },
      { field: 'tags', before: ['roof'], after: [] },
    ])
  }
  for (const { id, publicId } of [from, to]) {
    const query = { action: 'device.move' }
    const { entries } = (await api.call(organizationAuditLog, { organizationId: publicId }, { as: ines, query })).body
    expect([entries.length, (await verify(api.db, id)).whole]).toEqual([2, true])
  }
})

const scene = async () => {
  const home = await api.organization(ines, 'Home')
  const [one, two] = [
    await api.project({ organizationId: home.id }, 'One'),
    await api.project({ organizationId: home.id }, 'Two'),
  ]
  const objects = createTestObjects(api.deps)
  return { home, one, two, objects, device: await objects.device(one) }
}
const trusting = { without_trusted_key: true } as const

it('both projects of one organization record it, and the device answers by its token to the new one', async () => {
  const { home, one, two, device } = await scene()
  const there = await moved(device.id, { project_id: two, ...trusting })
  const seen = await api.call(checkIn, {}, { as: device.token, body: checkInBody() })
  expect([seen.status, seen.body.project_id]).toEqual([200, two])
  expect((await show(there.id)).last_seen_at).not.toBe(null)
  for (const [projectId, id] of [
    [one, device.id],
    [two, there.id],
  ] as const) {
    const { entries } = (await api.call(projectAuditLog, { projectId }, { as: ines })).body
    expect(entries).toMatchObject([{ action: 'device.move', target: { id } }])
  }
  expect((await verify(api.db, home.id)).whole).toBe(true)
})

it('is refused without the permission in both projects, to its own project, and for a changed device', async () => {
  const { home, one, two, device } = await scene()
  const viewer = await api.member(home.id, 'viewer')
  expect((await move(device.id, { project_id: two, ...trusting }, viewer)).error.required_permission).toBe(
    'project:manage_devices',
  )
  const operator = await api.member(home.id, 'operator')
  const elsewhere = await api.project({ organizationId: (await api.organization(await api.person(), 'Else')).id }, 'Hidden')
  expect((await move(device.id, { project_id: elsewhere, ...trusting }, operator)).status).toBe(404)
  const bench = await api.project({ ownerId: (await api.person()).id }, 'Bench')
  const guest = await api.guest(bench, 'viewer')
  const own = await api.project({ ownerId: guest.id }, 'Own')
  const theirs = await createTestObjects(api.deps).device(own)
  const body = { project_id: bench, ...trusting }
  const refused = await api.call(moveDevice, { deviceId: theirs.id }, { as: guest, body, headers: { 'if-match': '"1"' } })
  expect([refused.status, refused.error.required_permission]).toEqual([403, 'project:manage_devices'])
  expect((await move(device.id, { project_id: one, ...trusting })).error.details).toMatchObject([{ code: 'same_project' }])
  const stale = { as: ines, body: { project_id: two, ...trusting }, headers: { 'if-match': '"9"' } }
  expect((await api.call(moveDevice, { deviceId: device.id }, stale)).status).toBe(412)
  expect((await show(device.id)).project_id).toBe(one)
})

it('is refused to a person without the second factor that the organization of the other project requires', async () => {
  const { device } = await scene()
  const strict = await api.organization(ines, 'Strict')
  const project_id = await api.project({ organizationId: strict.id }, 'Three')
  const [row] = await api.db.select().from(organizations).where(eq(organizations.id, strict.id))
  const settings = { ...row?.settings, require_mfa: true } as NonNullable<typeof row>['settings']
  await api.ownerDb.update(organizations).set({ settings }).where(eq(organizations.id, strict.id))
  expect((await move(device.id, { project_id, ...trusting })).error.code).toBe('second_factor_required')
})

it('is refused while an update runs, for a device that was not accepted, and without a token of its own', async () => {
  const { one, two, objects, device } = await scene()
  const maker = await createReleaseFixture(api, ines, one)
  await api.db
    .update(deviceTable)
    .set({ trustedKeys: [maker.key.publicKey.fingerprint] })
    .where(eq(deviceTable.id, device.id))
  const rolloutId = await rollOut(maker, 1, 'one')
  const offered = await api.app.inject({
    method: 'GET',
    url: '/device/v1/update',
    headers: { host: new URL(api.config.urls.api).host, authorization: `Bearer ${device.token}` },
  })
  expect(offered.statusCode).toBe(200)
  expect((await move(device.id, { project_id: two, ...trusting })).error.code).toBe('update_running')
  await api.call(cancelRollout, { rolloutId }, { as: ines, body: { mode: 'abort_all' } })

  const pending = await objects.device(one)
  await api.db.update(deviceTable).set({ lifecycle: 'pending' }).where(eq(deviceTable.id, pending.id))
  expect((await move(pending.id, { project_id: two, ...trusting })).error.code).toBe('conflict')
  const bare = await objects.device(one)
  await api.db.delete(deviceTokens).where(eq(deviceTokens.deviceId, bare.id))
  expect((await move(bare.id, { project_id: two, ...trusting })).error.code).toBe('no_own_token')
})

it('names the keys that the device lacks, a model, a name and a plan that do not fit, and changes nothing', async () => {
  const { one, two, objects, device } = await scene()
  expect((await move(device.id, { project_id: two })).error).toMatchObject({ code: 'key_mismatch', about: { missing: [] } })
  const maker = await createReleaseFixture(api, ines, two)
  const lacking = await move(device.id, { project_id: two })
  const { fingerprint } = maker.key.publicKey
  expect(lacking.error).toMatchObject({ code: 'key_mismatch', about: { missing: [{ fingerprint }] } })

  const { name } = await show(device.id)
  const taken = await api.call(createDevice, { projectId: two }, { as: ines, body: { name, hardware_model: 'gw-imx8m' } })
  expect((await move(device.id, { project_id: two, ...trusting })).error.details).toMatchObject([
    { field: 'name', code: 'taken' },
  ])
  const renamed = { as: ines, body: { name: 'another' }, headers: { 'if-match': `"${taken.body.revision}"` } }
  expect((await api.call(updateDevice, { deviceId: taken.body.id }, renamed)).status).toBe(200)

  const [row] = await api.db.select().from(projects).where(eq(projects.id, two))
  const settings = { ...row?.settings, hardware_models: [{ id: 'other', name: 'Other' }] } as unknown as NonNullable<
    typeof row
  >['settings']
  await api.ownerDb.update(projects).set({ settings }).where(eq(projects.id, two))
  expect((await move(device.id, { project_id: two, ...trusting })).error.details).toMatchObject([
    { field: 'hardware_model', code: 'not_listed' },
  ])

  const small = await api.organization(ines, 'Small', 'developer')
  const full = await api.project({ organizationId: small.id }, 'Full')
  for (let n = 0; n < 25; n++) await objects.device(full)
  expect(await move(device.id, { project_id: full, ...trusting })).toMatchObject({ status: 402, error: { code: 'plan_limit' } })
  expect(await show(device.id)).toMatchObject({ project_id: one, name })

  await api.db
    .update(deviceTable)
    .set({ trustedKeys: [fingerprint] })
    .where(eq(deviceTable.id, device.id))
  await api.ownerDb
    .update(projects)
    .set({ settings: row?.settings as NonNullable<typeof row>['settings'] })
    .where(eq(projects.id, two))
  expect((await moved(device.id, { project_id: two })).project_id).toBe(two)
})

it('of two moves of one device at once, one happens', async () => {
  const { home, one, two, device } = await scene()
  const three = await api.project({ organizationId: home.id }, 'Three')
  const answers = await Promise.all([two, three].map((project_id) => move(device.id, { project_id, ...trusting })))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404])
  const rows = await Promise.all([one, two, three].map((projectId) => api.call(devices, { projectId }, { as: ines })))
  expect(rows.map(({ body }) => body.devices.length).toSorted()).toEqual([0, 0, 1])
})

it('a client of DDI keeps the address by which it was set up; one with the token of a group needs its own first', async () => {
  const { projectId, ines: owner, send, gateway } = await createDdiScene(api)
  const goal = await api.project({ ownerId: owner.id }, 'Goal')
  const body = { name: 'Panel', hardware_model: 'zephyr', protocol: 'ddi' as const, serial_number: 'panel-1' }
  const { body: made } = await api.call(createDevice, { projectId }, { as: owner, body })
  const poll = async (tenant: string) =>
    (await send(`TargetToken ${made.device_token}`, `/${tenant}/controller/v1/panel-1`)).statusCode
  expect(await poll(projectId)).toBe(200)
  const headers = { 'if-match': `"${(await api.call(readDevice, { deviceId: made.id }, { as: owner })).body.revision}"` }
  const done = await api.call(moveDevice, { deviceId: made.id }, { as: owner, body: { project_id: goal }, headers })
  expect(done.status, done.text).toBe(200)
  expect([await poll(projectId), await poll(goal), await poll('DEFAULT')]).toEqual([200, 200, 200])
  const other = await api.project({ ownerId: owner.id }, 'Other')
  expect(await poll(other)).toBe(401)

  const group = await gateway('swupdate', { auto_accept: true })
  expect((await send(`GatewayToken ${group.token}`, `/${projectId}/controller/v1/panel-2`)).statusCode).toBe(200)
  const found = await api.call(devices, { projectId }, { as: owner, query: { q: 'panel-2' } })
  const [panel] = found.body.devices
  const asked = { as: owner, body: { project_id: goal }, headers: { 'if-match': `"${panel?.revision}"` } }
  expect((await api.call(moveDevice, { deviceId: panel?.id ?? '' }, asked)).error.code).toBe('no_own_token')
})
