import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as contract from '../../../contract/fleet/device-jobs'
import * as deviceLifecycle from '../../../contract/fleet/device-lifecycle'
import { device as readDevice, updateDevice } from '../../../contract/fleet/devices'
import { createTag, deleteTag } from '../../../contract/fleet/tags'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { addManyDevices } from '../../../tests/support/many-devices'
import type { Person } from '../../../tests/support/people'
import { statementsOf } from '../../../tests/support/statements'
import { createTestObjects } from '../../../tests/support/test-objects'
import { members } from '../../accounts/schema/organizations'
import { accessTokens } from '../../accounts/schema/access-tokens'
import { projects } from '../../accounts/schema/projects'
import { verify } from '../../core/audit/chain'
import { auditEntries } from '../../core/database/schema/audit-entries.partitioned'
import { events } from '../../core/database/schema/events'
import { copyDdiDevice } from '../../ddi/devices.repository'
import { createReleaseFixture } from '../../../tests/support/release-fixture'
import { deviceJobRows } from '../schema/device-jobs'
import { devices, deviceTags } from '../schema/devices'
import { tags } from '../schema/tags'
import { applyRetention } from '../telemetry/retention'
import { hasUnapprovedRollout } from '../../updates/rollouts/steps/unapproved.repository'
import { runDeviceJobs } from './run'

const above = { copyClientState: copyDdiDevice, hasUnapprovedRollout }
const size = 12

let api: TestApi
let ines: Person
let chainId: string
let projectId: string
let organizationId: string
let ids: string[]

beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

const idsOf = async (project: string) => {
  const alive = and(eq(devices.projectId, project), isNull(devices.deletedAt))
  return (await api.db.select({ id: devices.id }).from(devices).where(alive).orderBy(asc(devices.name))).map(({ id }) => id)
}

beforeEach(async () => {
  ines = await api.person()
  const made = await api.organization(ines)
  chainId = made.id
  organizationId = made.id
  projectId = await api.project({ organizationId })
  await addManyDevices(api, { projectId, count: size, trustedKeys: [] })
  for (const name of ['roof', 'pilot']) await api.call(createTag, { projectId }, { as: ines, body: { name, colour: 'moss' } })
  ids = await idsOf(projectId)
})

type Asked = Partial<Pick<contract.BulkChange, 'args' | 'selection' | 'expected_count'>>

const ask = (action: contract.BulkAction, asked: Asked = {}, as: Person | string = ines) => {
  const body = { selection: { ids }, expected_count: ids.length, action, ...asked }
  return api.call(contract.bulkChangeDevices, { projectId }, { as, body })
}
const begin = async (...asked: Parameters<typeof ask>): Promise<string> => {
  const answer = await ask(...asked)
  expect(answer.status, answer.text).toBe(202)
  return answer.body.job_id
}
const run = (limits?: { size?: number; rounds?: number }) => runDeviceJobs(api.deps, above, limits)
const show = async (jobId: string) => (await api.call(contract.deviceJob, { jobId }, { as: ines })).body
const change = async (...asked: Parameters<typeof ask>) => {
  const jobId = await begin(...asked)
  await run()
  return show(jobId)
}
const undo = async (jobId: string) => {
  const answer = await api.call(contract.undoDeviceJob, { jobId }, { as: ines })
  expect(answer.status, answer.text).toBe(202)
  await run()
  return show(answer.body.job_id)
}
const rowsOf = async (jobId: string, query: { result?: contract.RowResult; limit?: number; cursor?: string } = {}) =>
  (await api.call(contract.deviceJobRows, { jobId }, { as: ines, query })).body
const leftOut = (action: contract.BulkAction, name: string, expected_count: number) =>
  ask(action, { selection: { filter: { tag: [name], tag_mode: 'none' } }, expected_count })
const read = async (deviceId: string) => (await api.call(readDevice, { deviceId }, { as: ines })).body
const patch = async (deviceId: string, body: { tags?: string[]; updates_enabled?: boolean; notes?: string }) => {
  const headers = { 'if-match': `"${(await read(deviceId)).revision}"` }
  expect((await api.call(updateDevice, { deviceId }, { as: ines, body, headers })).status).toBe(200)
}
const entriesOf = (action: string) =>
  api.db
    .select()
    .from(auditEntries)
    .where(and(eq(auditEntries.chainId, chainId), eq(auditEntries.action, action)))
const isWhole = async () => expect((await verify(api.ownerDb, chainId)).whole).toBe(true)

const until = '2026-07-01T00:00:00+00:00'
const facts = async (deviceId: string) => {
  const { lifecycle, updates_enabled, updates_paused_until, tags } = await read(deviceId)
  return { lifecycle, updates_enabled, updates_paused_until, tags: tags.map(({ name }) => name) }
}
const before = { lifecycle: 'active', updates_enabled: true, updates_paused_until: null, tags: [] as string[] }

type Case = { action: contract.BulkAction; args?: contract.BulkArgs; first?: contract.BulkAction; gives: object; entry: string }
const cases: Case[] = [
  { action: 'add_tags', args: { tags: ['roof', 'pilot'] }, gives: { tags: ['pilot', 'roof'] }, entry: 'tag.assign' },
  { action: 'replace_tags', args: { tags: ['roof'] }, gives: { tags: ['roof'] }, entry: 'tag.assign' },
  { action: 'disable_updates', gives: { updates_enabled: false }, entry: 'device.update' },
  { action: 'pause_until', args: { until }, gives: { updates_paused_until: until }, entry: 'device.update' },
  { action: 'disable', gives: { lifecycle: 'disabled' }, entry: 'device.disable' },
]

describe('a job', () => {
  it.each(cases)('does $action to each device once, and its undo restores them', async ({ action, args, gives, entry }) => {
    const job = await change(action, args && { args })
    expect(job).toMatchObject({ state: 'done', total: size, counts: { done: size, failed: 0, waiting: 0 }, can_undo: true })
    for (const id of ids) expect(await facts(id)).toEqual({ ...before, ...gives })
    expect(await entriesOf(entry)).toHaveLength(size)
    expect((await change(action, args && { args })).counts).toMatchObject({ done: 0, unchanged: size })

    const undone = await undo(job.id)
    expect(undone).toMatchObject({ state: 'done', undo_of: job.id, counts: { done: size, skipped: 0 } })
    for (const id of ids) expect(await facts(id)).toEqual(before)
    // An undo is undone as well.
    await undo(undone.id)
    for (const id of ids) expect(await facts(id)).toEqual({ ...before, ...gives })
    await isWhole()
  })

  const reversals: { action: contract.BulkAction; first: contract.BulkAction; args: contract.BulkArgs }[] = [
    { action: 'remove_tags', first: 'add_tags', args: { tags: ['roof'] } },
    { action: 'enable_updates', first: 'disable_updates', args: {} },
    { action: 'resume', first: 'pause_until', args: { until } },
    { action: 'enable', first: 'disable', args: {} },
  ]
  it.each(reversals)('reverses $first by $action, and its undo does that again', async ({ action, first, args }) => {
    await change(first, { args })
    const changed = await facts(ids[0] ?? '')
    const job = await change(action, { args })
    expect(job.counts.done).toBe(size)
    for (const id of ids) expect(await facts(id)).toEqual(before)
    await undo(job.id)
    for (const id of ids) expect(await facts(id)).toEqual(changed)
  })

  it('records each device as the same change of that device alone is recorded', async () => {
    const [one = '', other = ''] = ids
    const alone = {
      replace_tags: () => patch(one, { tags: ['roof'] }),
      disable_updates: () => patch(one, { updates_enabled: false }),
    }
    for (const action of ['replace_tags', 'disable_updates'] as const) {
      await alone[action]()
      await change(action, { selection: { ids: [other] }, expected_count: 1, args: { tags: ['roof'] } })
    }
    await api.call(deviceLifecycle.disableDevice, { deviceId: one }, { as: ines })
    await change('disable', { selection: { ids: [other] }, expected_count: 1 })
    const shown = async (id: string) => {
      const found = await api.db
        .select()
        .from(auditEntries)
        .where(sql`target ->> 'id' = ${id}`)
        .orderBy(asc(auditEntries.sequence))
      return found.map(({ actor, credential, changes, projectId: place }) => ({ actor, credential, changes, place }))
    }
    expect(await shown(other)).toHaveLength(3)
    expect(await shown(other)).toEqual(await shown(one))
  })

  it('decommissions devices with their events, and has no undo', async () => {
    const job = await change('decommission')
    expect(job).toMatchObject({ counts: { done: size }, can_undo: false })
    const sent = await api.db.select().from(events).where(eq(events.projectId, projectId))
    expect(sent.filter(({ type }) => type === 'device.decommissioned')).toHaveLength(size)
    const refused = await api.call(contract.undoDeviceJob, { jobId: job.id }, { as: ines })
    expect([refused.status, refused.error.message]).toEqual([409, 'A decommission cannot be undone'])
    const after = await change('enable')
    expect(after.counts).toMatchObject({ failed: size })
    expect(after.first_failures[0]).toMatchObject({ result: 'failed', code: 'conflict', device: { id: ids[0] } })
  })

  it('takes all devices of a filter without the excluded ones, as they were when it was accepted', async () => {
    await patch(ids[5] ?? '', { tags: ['roof'] })
    const filter = { q: 'active', tag: ['roof'], tag_mode: 'none' as const }
    const selection = { filter, excluded_ids: ids.slice(0, 2) }
    const jobId = await begin('disable_updates', { selection, expected_count: size - 3 })
    await addManyDevices(api, { projectId, count: 1, trustedKeys: [], lifecycle: 'pending' })
    await run()
    expect((await show(jobId)).total).toBe(size - 3)
    const enabled = and(eq(devices.projectId, projectId), eq(devices.updatesEnabled, true))
    expect(await api.db.select().from(devices).where(enabled)).toHaveLength(4)
  })

  it.each([
    { seen: 200, live: 202, status: 202 },
    { seen: 200, live: 203, status: 409 },
    { seen: 200, live: 198, status: 202 },
    { seen: 200, live: 197, status: 409 },
    { seen: 1, live: 2, status: 409 },
  ])('for $seen devices of which there are $live now is answered with $status', async ({ seen, live, status }) => {
    projectId = await api.project({ organizationId }, 'Counted')
    await addManyDevices(api, { projectId, count: live, trustedKeys: [] })
    const answer = await ask('disable_updates', { selection: { filter: {} }, expected_count: seen })
    expect(answer.status).toBe(status)
    if (status === 409) expect(answer.error).toMatchObject({ code: 'count_changed', about: { count: live, expected: seen } })
    expect(
      await api.db
        .select()
        .from(deviceJobRows)
        .where(inArray(deviceJobRows.deviceId, await idsOf(projectId))),
    ).toHaveLength(status === 202 ? live : 0)
  })

  it('is refused if its filter leaves devices out by a tag that was renamed or deleted: it would leave none out', async () => {
    const [roof] = await api.db
      .select({ id: tags.id })
      .from(tags)
      .where(and(eq(tags.projectId, projectId), eq(tags.name, 'roof')))
    await api.db.insert(deviceTags).values({ projectId, deviceId: ids[0] ?? '', tagId: roof?.id ?? '' })
    expect((await leftOut('disable', 'roof', size - 1)).status).toBe(202)
    const refused = await leftOut('disable', 'attic', size)
    expect([refused.status, refused.error.code, refused.error.message]).toEqual([
      409,
      'conflict',
      'The filter leaves devices out by a tag that the project does not have: attic. Look at the list again',
    ])
    expect((await ask('disable', { selection: { filter: { tag: ['attic'] } }, expected_count: 1 })).error.code).toBe(
      'count_changed',
    )
  })

  it('counts a device of another project as absent', async () => {
    const { id } = await createTestObjects(api.deps).device(await api.project({ organizationId }, 'Other'))
    expect((await ask('disable', { selection: { ids: [...ids, id] }, expected_count: size + 1 })).error.code).toBe(
      'count_changed',
    )
  })

  const wrong: { action: contract.BulkAction; args: contract.BulkArgs; field: string }[] = [
    { action: 'add_tags', args: { tags: [] }, field: 'tags' },
    { action: 'add_tags', args: { tags: ['absent'] }, field: 'tags' },
    { action: 'pause_until', args: {}, field: 'until' },
    { action: 'pause_until', args: { until: '2026-05-01T00:00:00+00:00' }, field: 'until' },
    { action: 'move', args: {}, field: 'project_id' },
  ]
  it.each(wrong)('is refused for $action with $args', async ({ action, args, field }) => {
    const answer = await ask(action, { args })
    expect([answer.status, answer.error.details[0]?.field]).toEqual([422, field])
  })

  it('says by device what could not be done, and lists it by result and page', async () => {
    const [first = '', second = '', third = ''] = ids
    await api.call(deviceLifecycle.deleteDevice, { deviceId: first }, { as: ines, headers: { 'if-match': '"1"' } })
    const jobId = await begin('disable', { selection: { ids: ids.slice(1) }, expected_count: size - 1 })
    await api.call(deviceLifecycle.deleteDevice, { deviceId: second }, { as: ines, headers: { 'if-match': '"1"' } })
    await api.call(deviceLifecycle.decommissionDevice, { deviceId: third }, { as: ines })
    await run()
    const job = await show(jobId)
    expect(job.counts).toMatchObject({ done: size - 3, failed: 2 })
    expect(job.first_failures.map(({ device, code }) => [device.id, code])).toEqual([
      [second, 'deleted'],
      [third, 'conflict'],
    ])
    const failed = await rowsOf(jobId, { result: 'failed' })
    expect(failed).toMatchObject({ total: 2, next_cursor: null, rows: job.first_failures })
    const all: string[] = []
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await rowsOf(jobId, { limit: 4, ...(cursor !== undefined && { cursor }) })
      all.push(...page.rows.map(({ device }) => device.id))
      cursor = page.next_cursor
    }
    expect(all).toEqual(ids.slice(1))
  })

  it('fails for a device that would have too many tags, and for all when a tag is deleted meanwhile', async () => {
    const names = Array.from({ length: 19 }, (_, n) => `tag-${n}`)
    for (const name of names) await api.call(createTag, { projectId }, { as: ines, body: { name, colour: 'sky' } })
    await patch(ids[0] ?? '', { tags: names })
    const job = await change('add_tags', { args: { tags: ['roof', 'pilot'] } })
    expect(job).toMatchObject({ counts: { done: size - 1, failed: 1 }, first_failures: [{ code: 'too_many_tags' }] })

    const jobId = await begin('add_tags', { args: { tags: ['tag-1'] } })
    const { rows } = await api.db.execute<{ id: string }>(
      sql`select id from tags where name = 'tag-1' and project_id = ${projectId}`,
    )
    const gone = await api.call(
      deleteTag,
      { tagId: rows[0]?.id ?? '' },
      { as: ines, query: { force: true }, headers: { 'if-match': '"1"' } },
    )
    expect(gone.status, gone.text).toBe(204)
    await run()
    expect(await show(jobId)).toMatchObject({
      counts: { failed: size },
      first_failures: Array.from({ length: 10 }, () => ({ code: 'tag_deleted' })),
    })
  })

  it('that is cancelled changes no further device and keeps what it did, which can be undone', async () => {
    const jobId = await begin('disable_updates')
    await run({ size: 5, rounds: 1 })
    const cancelled = await api.call(contract.cancelDeviceJob, { jobId }, { as: ines })
    expect(cancelled.body).toMatchObject({ state: 'cancelled', counts: { done: 5, cancelled: size - 5, waiting: 0 } })
    await run()
    expect((await show(jobId)).counts.done).toBe(5)
    expect((await rowsOf(jobId, { result: 'cancelled' })).rows.map(({ device }) => device.id)).toEqual(ids.slice(5))
    expect((await rowsOf(jobId, { result: 'waiting' })).rows).toEqual([])
    expect((await api.call(contract.cancelDeviceJob, { jobId }, { as: ines })).status).toBe(409)
    expect((await undo(jobId)).counts).toMatchObject({ done: 5 })
    for (const id of ids) expect((await read(id)).updates_enabled).toBe(true)
  })

  it('is undone only where it is as the job left it, and another change of the device does not matter', async () => {
    const job = await change('add_tags', { args: { tags: ['roof'] } })
    const [first = '', second = '', third = ''] = ids
    await patch(first, { tags: [] })
    await patch(second, { notes: 'on the roof', tags: ['roof', 'pilot'] })
    await api.call(deviceLifecycle.deleteDevice, { deviceId: third }, { as: ines, headers: { 'if-match': '"2"' } })
    const undone = await undo(job.id)
    expect(undone.counts).toMatchObject({ done: size - 2, skipped: 2 })
    expect(undone.first_failures.map(({ device, code }) => [device.id, code])).toEqual([
      [first, 'changed_since'],
      [third, 'changed_since'],
    ])
    expect(await facts(second)).toMatchObject({ tags: ['pilot'] })
    const again = await api.call(contract.undoDeviceJob, { jobId: job.id }, { as: ines })
    expect([again.status, again.error.message]).toEqual([409, 'The job was undone already'])
  })

  it('whose undo was cancelled can be undone again, for the rest', async () => {
    const job = await change('disable')
    const first = await api.call(contract.undoDeviceJob, { jobId: job.id }, { as: ines })
    await run({ size: 4, rounds: 1 })
    await api.call(contract.cancelDeviceJob, { jobId: first.body.job_id }, { as: ines })
    expect((await undo(job.id)).counts).toMatchObject({ done: size - 4, skipped: 4 })
    for (const id of ids) expect((await read(id)).lifecycle).toBe('active')
  })

  it('stops when its maker may no longer manage devices, and says so', async () => {
    const operator = await api.member(organizationId, 'operator')
    const jobId = await begin('disable', {}, operator)
    await run({ size: 5, rounds: 1 })
    await api.db.update(members).set({ baseRole: 'viewer' }).where(eq(members.userId, operator.id))
    await run()
    expect(await show(jobId)).toMatchObject({
      state: 'stopped',
      stop_reason: 'The operator may no longer manage these devices',
      counts: { done: 5, cancelled: size - 5 },
      can_undo: true,
    })
    expect(await entriesOf('device_job.stop')).toMatchObject([{ actor: { kind: 'system' }, target: { id: jobId } }])
    await isWhole()
  })

  it('of a project that got another owner stops with an entry in the log of the new one', async () => {
    const operator = await api.member(organizationId, 'operator')
    const jobId = await begin('disable', {}, operator)
    const other = await api.organization(ines, 'Other')
    const ofOrganization = (id: string) => api.db.update(projects).set({ organizationId: id }).where(eq(projects.id, projectId))
    await ofOrganization(other.id)
    await run()
    expect(await show(jobId)).toMatchObject({ state: 'stopped' })
    const found = await api.db.select().from(auditEntries).where(eq(auditEntries.action, 'device_job.stop'))
    expect(found.filter(({ target }) => target?.id === jobId)).toMatchObject([{ chainId: other.id, projectId }])
  })

  it('of an access token stops when the token is revoked', async () => {
    const made = await createTestObjects(api.deps).accessToken(projectId, ines.id, { permissions: ['project:manage_devices'] })
    const jobId = await begin('disable', {}, made.token)
    await run({ size: 5, rounds: 1 })
    await api.db.update(accessTokens).set({ revokedAt: api.deps.clock() }).where(eq(accessTokens.id, made.id))
    await run()
    expect(await show(jobId)).toMatchObject({ state: 'stopped', stop_reason: 'The access token of Ines Quist has ended' })
    const [entry] = await entriesOf('device.disable')
    expect(entry?.credential).toMatchObject({ kind: 'access_token', id: made.id })
  })

  it.each([
    ['add_tags', 20],
    ['disable', 19],
    ['decommission', 20],
  ] as const)('asks the database as often for many devices as for one to %s', async (action, most) => {
    const counts: number[] = []
    for (const some of [ids.slice(0, 1), ids.slice(1)]) {
      await begin(action, { args: { tags: ['roof'] }, selection: { ids: some }, expected_count: some.length })
      const sent = await statementsOf(async () => {
        await run()
        return { status: 200, text: '' }
      })
      counts.push(sent.length)
    }
    expect(counts[1]).toBe(counts[0])
    expect(counts[1]).toBeLessThanOrEqual(most)
  })

  it('waits for no device that another transaction holds', async () => {
    const jobId = await begin('disable')
    await api.db.transaction(async (tx) => {
      await tx
        .select()
        .from(devices)
        .where(eq(devices.id, ids[3] ?? ''))
        .for('update')
      await run({ size: 5 })
      expect(await show(jobId)).toMatchObject({ state: 'running', counts: { done: size - 1, waiting: 1 } })
    })
    await run()
    expect(await show(jobId)).toMatchObject({ state: 'done', counts: { done: size } })
  })

  it('moves devices by the rules of a single move, each with its result, and its undo brings them back', async () => {
    const workshop = await api.project({ organizationId }, 'Workshop')
    const maker = await createReleaseFixture(api, ines, workshop)
    projectId = await api.project({ organizationId }, 'Field')
    const make = createTestObjects(api.deps)
    const made: string[] = []
    for (let n = 0; n < 4; n++) made.push((await make.device(projectId)).id)
    const [distrusting = '', taken = '', ...moving] = made
    const trusted = { trustedKeys: [maker.key.publicKey.fingerprint], hardwareModel: 'gw' }
    await api.db
      .update(devices)
      .set(trusted)
      .where(inArray(devices.id, [taken, ...moving]))
    await api.db.update(devices).set({ hardwareModel: 'gw' }).where(eq(devices.id, distrusting))
    const { id: twin } = await make.device(workshop)
    for (const id of [taken, twin]) await api.db.update(devices).set({ name: 'twin' }).where(eq(devices.id, id))
    const selection = { selection: { ids: made }, expected_count: 4 }
    const job = await change('move', { ...selection, args: { project_id: workshop } })
    expect(job).toMatchObject({ counts: { done: 2, failed: 2 }, args: { project: { id: workshop, name: 'Workshop' } } })
    expect(Object.fromEntries(job.first_failures.map(({ device, code }) => [device.id, code]))).toEqual({
      [distrusting]: 'key_mismatch',
      [taken]: 'taken',
    })
    const rows = (await rowsOf(job.id, { result: 'done' })).rows
    for (const { device } of rows) expect((await read(device.id)).project_id).toBe(device.project_id)
    expect(new Set(rows.map(({ device }) => device.project_id))).toEqual(new Set([workshop]))

    const undone = await undo(job.id)
    expect(undone.counts).toMatchObject({ done: 2 })
    expect((await rowsOf(undone.id)).rows.map(({ device }) => device.id).toSorted()).toEqual(moving.toSorted())
    for (const id of moving) expect(await read(id)).toMatchObject({ project_id: projectId, deleted_at: null })
    expect(await entriesOf('device.move')).toHaveLength(8)

    const redone = await undo(undone.id)
    expect(redone.counts).toMatchObject({ done: 2 })
    for (const { device } of (await rowsOf(redone.id)).rows)
      expect([device.project_id, (await read(device.id)).project_id]).toEqual([workshop, workshop])
    await isWhole()
  })

  it('a job of moves names its goal only to people who may know that project', async () => {
    const goal = await api.project({ ownerId: ines.id }, 'Hidden place')
    const made = createTestObjects(api.deps)
    const [moved, twin] = [(await made.device(projectId)).id, (await made.device(projectId)).id]
    const selection = { selection: { ids: [moved, twin] }, expected_count: 2 }
    const job = await change('move', { ...selection, args: { project_id: goal, without_trusted_key: true } })
    const viewer = await api.member(organizationId, 'viewer')
    const seenBy = async (as: Person) => {
      const [list, one, rows] = await Promise.all([
        api.call(contract.deviceJobs, { projectId }, { as }),
        api.call(contract.deviceJob, { jobId: job.id }, { as }),
        api.call(contract.deviceJobRows, { jobId: job.id }, { as }),
      ])
      expect([list.status, one.status, rows.status]).toEqual([200, 200, 200])
      return `${list.text}${one.text}${rows.text}`
    }
    const known = await seenBy(ines)
    expect([known.includes('Hidden place'), known.includes(goal)]).toEqual([true, true])
    const hidden = await seenBy(viewer)
    expect([hidden.includes('Hidden place'), hidden.includes(goal), hidden.includes(job.id)]).toEqual([false, false, true])
  })

  it('that is accepted while another one runs does not wait for its end', async () => {
    const first = await begin('disable')
    const half = ids.slice(6)
    const accepted: string[] = []
    const db = new Proxy(api.db, {
      get: (target, name) =>
        name === 'transaction'
          ? async (work: Parameters<typeof api.db.transaction>[0]) => {
              const more = await target.transaction(work)
              if (accepted.length === 0)
                accepted.push(await begin('disable_updates', { selection: { ids: half }, expected_count: half.length }))
              return more
            }
          : Reflect.get(target, name),
    })
    await runDeviceJobs({ ...api.deps, db }, above, { size: 1 })
    expect(accepted).toHaveLength(1)
    for (const jobId of [first, ...accepted]) expect((await show(jobId)).state).toBe('done')
  })

  it('is refused while ten others of the project run', async () => {
    for (let n = 0; n < contract.bulkLimits.running; n++) await begin('disable')
    expect((await ask('disable')).error).toMatchObject({ code: 'conflict', message: expect.stringContaining('10 bulk changes') })
    await run()
    expect((await ask('disable')).status).toBe(202)
  })

  it('moves nothing into a project that its maker may not change', async () => {
    const { id: foreign } = await api.organization(await api.person())
    const goal = await api.project({ organizationId: foreign })
    expect((await ask('move', { args: { project_id: goal } })).status).toBe(404)
  })

  it('is deleted with its rows after 30 days', async () => {
    const { id } = await change('disable')
    await applyRetention(api.ownerDb, new Date(api.deps.clock().getTime() + 31 * 86_400_000))
    expect((await api.call(contract.deviceJob, { jobId: id }, { as: ines })).status).toBe(404)
    expect(await api.db.select().from(deviceJobRows).where(eq(deviceJobRows.jobId, id))).toEqual([])
  })
})

it('jobs over the same devices leave each device as one of them left it, and their rows say which changed it', async () => {
  const wanted: [contract.BulkAction, string[]?][] = [
    ['add_tags', ['roof']],
    ['replace_tags', ['pilot']],
    ['remove_tags', ['roof']],
    ['disable'],
    ['enable'],
  ]
  const jobs: string[] = []
  for (const [action, tags] of wanted) jobs.push(await begin(action, tags && { args: { tags } }))
  // Four processes, in batches that meet.
  await Promise.all(Array.from({ length: 4 }, (_, n) => run({ size: n + 1 })))
  await run()
  const changes = await api.db.select().from(deviceJobRows).where(inArray(deviceJobRows.jobId, jobs))
  for (const jobId of jobs) expect(await show(jobId)).toMatchObject({ state: 'done', counts: { waiting: 0, failed: 0 } })
  for (const id of ids) {
    const tagIds = (await api.db.select().from(deviceTags).where(eq(deviceTags.deviceId, id))).map(({ tagId }) => tagId)
    const own = changes.filter(({ deviceId }) => deviceId === id)
    // What was added and not removed is there: no change was lost or done twice.
    const count = new Map<string, number>()
    let lifecycle = 0
    for (const { change: done } of own) {
      if (done?.field === 'tags') {
        for (const tag of done.added) count.set(tag, (count.get(tag) ?? 0) + 1)
        for (const tag of done.removed) count.set(tag, (count.get(tag) ?? 0) - 1)
      }
      if (done?.field === 'lifecycle') lifecycle += done.after === 'disabled' ? 1 : -1
    }
    expect(
      [...count]
        .filter(([, n]) => n === 1)
        .map(([tag]) => tag)
        .toSorted(),
    ).toEqual(tagIds.toSorted())
    expect([...count.values()].every((n) => n === 0 || n === 1)).toBe(true)
    expect((await read(id)).lifecycle).toBe(lifecycle === 1 ? 'disabled' : 'active')
    expect((await read(id)).revision).toBe(1 + own.filter(({ result }) => result === 'done').length)
  }
  await isWhole()
})
