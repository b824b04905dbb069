import { createHash } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { QueryOf } from '../../contract/core/endpoint'
import {
  type AuditEntry,
  exportAuditLog,
  exportOrganizationAuditLog,
  organizationAuditLog,
  projectAuditLog,
} from '../../contract/accounts/audit'
import { hashedText } from '../../contract/accounts/audit-verification'
import { checkIn, rotateToken } from '../../contract/device/endpoints'
import { updateMember } from '../../contract/accounts/members'
import { createPersonalProject, updateProject } from '../../contract/accounts/project-changes'
import { createCheckout } from '../../contract/accounts/subscriptions'
import { createTag, tags } from '../../contract/fleet/tags'
import { updateSelf } from '../../contract/accounts/users'
import { verify } from '../../server/core/audit/chain'
import { auditEntries } from '../../server/core/database/schema/audit-entries.partitioned'
import { createTestApi, type TestApi } from '../support/api'
import { checkInBody } from '../support/devices'
import { createTestObjects } from '../support/test-objects'
import type { Person } from '../support/people'

let api: TestApi
let ines: Person
let projectId: string
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())
beforeEach(async () => {
  ines = await api.person()
  const made = await api.call(createPersonalProject, {}, { as: ines, body: { name: 'Gateways' } })
  projectId = made.body.id
  for (const name of ['a', 'b', 'c', 'd']) await api.call(createTag, { projectId }, { as: ines, body: { name, colour: 'sky' } })
})

const rows = () => api.db.select().from(auditEntries).where(eq(auditEntries.chainId, ines.id)).orderBy(auditEntries.sequence)

// An intruder with database access must disable the trigger first.
const tamper = (...statements: ReturnType<typeof sql>[]) =>
  api.ownerDb.transaction(async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`)
    for (const statement of statements) await tx.execute(statement)
  })

describe('T-20', () => {
  it('a change has a row, refusals and reads have none', async () => {
    const before = (await rows()).length
    await api.call(tags, { projectId }, { as: ines })
    await api.call(createTag, { projectId }, { as: ines, body: { name: 'a', colour: 'sky' } })
    await api.call(createTag, { projectId }, { as: ines, body: { name: 'NOT', colour: 'sky' } })
    expect((await rows()).length).toBe(before)
    await api.call(createTag, { projectId }, { as: ines, body: { name: 'e', colour: 'sky' } })
    const [last] = (await rows()).slice(-1)
    expect(last).toMatchObject({
      action: 'tag.create',
      projectId,
      actor: { kind: 'user', id: ines.id, email: ines.email },
      credential: { kind: 'session', id: ines.sessionId },
      sourceIp: '127.0.0.1',
      target: { kind: 'tag', name: 'e' },
    })
  })

  it('an entry names the fields that changed, before and after', async () => {
    await api.call(updateSelf, {}, { as: ines, body: { full_name: 'Ines Q.' } })
    const [last] = (await rows()).slice(-1)
    expect(last?.changes).toEqual([{ field: 'full_name', before: 'Ines Quist', after: 'Ines Q.' }])
  })

  it('the log can only grow', async () => {
    await expect(api.db.update(auditEntries).set({ reason: 'x' })).rejects.toThrow()
    await expect(api.db.delete(auditEntries)).rejects.toThrow()
    await expect(api.db.execute(sql`truncate audit_entries`)).rejects.toThrow()
    expect(await verify(api.db, ines.id)).toEqual({ whole: true, head: 5 })
  })

  const where = (sequence: number) => sql`where chain_id = ${ines.id} and sequence = ${sequence}`
  it.each([
    ['edits an entry', (n: number) => sql`update audit_entries set target = '{"kind":"tag","id":"x","name":"y"}' ${where(n)}`, 3],
    ['backdates one', (n: number) => sql`update audit_entries set occurred_at = occurred_at - interval '1 hour' ${where(n)}`, 3],
    ['takes one out', (n: number) => sql`delete from audit_entries ${where(n)}`, 3],
    ['cuts the end off', (n: number) => sql`delete from audit_entries where chain_id = ${ines.id} and sequence >= ${n}`, 3],
    [
      'puts one in',
      (
        n: number,
      ) => sql`insert into audit_entries select chain_id, 6, overlay(id placing 'ZZ' from 25), occurred_at, action, result, actor, credential,
        source_ip, user_agent, request_id, project_id, target, changes, reason, hash, hash from audit_entries ${where(n)}`,
      5,
    ],
  ])('an attacker with database access %s: the chain shows where', async (_, statement, sequence) => {
    await tamper(statement(sequence))
    const firstBad = sequence === 5 ? 6 : 3
    expect(await verify(api.db, ines.id)).toEqual({ whole: false, firstBad })
    const shown = await api.call(projectAuditLog, { projectId }, { as: ines })
    expect(shown.body.chain).toMatchObject({ verified: 'no', first_bad: firstBad })
  })

  it('an attacker with database access swaps two entries: the chain shows where', async () => {
    const move = (from: number, to: number) => sql`update audit_entries set sequence = ${to} ${where(from)}`
    await tamper(move(3, 1000), move(4, 3), move(1000, 4))
    expect(await verify(api.db, ines.id)).toEqual({ whole: false, firstBad: 3 })
  })

  it('concurrent entries form one unbroken chain', async () => {
    const names = Array.from({ length: 24 }, (_, n) => `many-${n}`)
    const answers = await Promise.all(
      names.map((name) => api.call(createTag, { projectId }, { as: ines, body: { name, colour: 'sky' } })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    expect(await verify(api.db, ines.id)).toEqual({ whole: true, head: 29 })
  })
})

describe('a denied action', () => {
  const denied = async (chainId: string) => {
    const rows = await api.db
      .select()
      .from(auditEntries)
      .where(and(eq(auditEntries.chainId, chainId), eq(auditEntries.result, 'denied')))
      .orderBy(auditEntries.sequence)
    return rows
  }
  const create = (as: Person, at: string) => api.call(createTag, { projectId: at }, { as, body: { name: 'x', colour: 'sky' } })
  /** An organization with a viewer and two projects. */
  const place = async () => {
    const { id, publicId } = await api.organization(ines)
    const viewer = await api.member(id, 'viewer')
    const owner = { organizationId: id }
    return { id, publicId, viewer, one: await api.project(owner, 'One'), two: await api.project(owner, 'Two') }
  }

  it('is an entry of the log of that scope, with actor, address and the missing permission', async () => {
    const { id, viewer, one } = await place()
    expect((await create(viewer, one)).status).toBe(403)
    await expect.poll(() => denied(id)).toHaveLength(1)
    const shown = await api.call(projectAuditLog, { projectId: one }, { as: ines, query: { result: 'denied' } })
    expect(shown.body.entries).toMatchObject([
      {
        action: 'tag.create',
        result: 'denied',
        actor: { kind: 'user', id: viewer.id, email: viewer.email },
        credential: { kind: 'session', id: viewer.sessionId },
        source_ip: '127.0.0.1',
        project_id: one,
        target: { kind: 'project', id: one, name: 'One' },
        changes: [],
        reason: 'requires project:manage_devices',
      },
    ])
    expect(await verify(api.db, id)).toEqual({ whole: true, head: 1 })
  })

  it('is written once an hour for each actor, action and project', async () => {
    const { id, viewer, one, two } = await place()
    const other = await api.member(id, 'viewer')
    const wait = (count: number) => expect.poll(() => denied(id)).toHaveLength(count)
    await Promise.all(Array.from({ length: 20 }, () => create(viewer, one)))
    await wait(1)
    await create(other, one)
    await wait(2)
    await create(viewer, two)
    await wait(3)
    const updated = { as: viewer, body: { name: 'x' }, headers: { 'if-match': '"1"' } }
    expect((await api.call(updateProject, { projectId: one }, updated)).status).toBe(403)
    await wait(4)
    const again = async (seconds: number) => {
      api.advance(seconds)
      await create({ ...viewer, ...(await api.session(viewer.id)) }, one)
      // The later entries of the log were written after it.
      const third = await api.member(id, 'viewer')
      await create(third, one)
    }
    await again(3599)
    await wait(5)
    await again(1)
    await wait(7)
    const mine = (await denied(id)).filter(({ actor, action }) => actor.id === viewer.id && action === 'tag.create')
    expect(
      mine.map(({ projectId: at, occurredAt }) => [at, occurredAt.getTime() - (mine[0]?.occurredAt.getTime() ?? 0)]),
    ).toEqual([
      [one, 0],
      [two, 0],
      [one, 3_600_000],
    ])
  })

  it('is not recorded for hidden objects, for actions without an entry, and for anonymous callers', async () => {
    const { id, publicId, viewer, one } = await place()
    const outsider = await api.person({ name: 'Outsider' })
    expect((await create(outsider, one)).status).toBe(404)
    expect((await api.call(createTag, { projectId: one }, { body: { name: 'x', colour: 'sky' } })).status).toBe(401)
    expect((await api.call(organizationAuditLog, { organizationId: publicId }, { as: viewer })).status).toBe(403)
    // Written after all of the above, if any of it had been written.
    expect((await create(viewer, one)).status).toBe(403)
    await expect.poll(() => denied(id)).toHaveLength(1)
    for (const chain of [outsider.id, viewer.id]) expect(await denied(chain)).toEqual([])
  })

  it('by a rule of the handler or of a device token is recorded too', async () => {
    const { id, publicId, viewer, one } = await place()
    const admin = await api.member(id, 'admin')
    const raise = { as: admin, body: { base_role: 'owner' as const } }
    const raised = await api.call(updateMember, { organizationId: publicId, memberId: viewer.id }, raise)
    expect([raised.status, raised.error.code]).toEqual([403, 'role_above_own'])
    const body = { organization_id: publicId, success_path: '/account', cancel_path: '/account' }
    expect((await api.call(createCheckout, {}, { as: viewer, body })).status).toBe(403)
    const gateway = await createTestObjects(api.deps).device(one)
    const { body: rotated } = await api.call(rotateToken, {}, { as: gateway })
    await api.call(checkIn, {}, { as: rotated.device_token, body: checkInBody() })
    expect((await api.call(rotateToken, {}, { as: gateway })).status).toBe(403)
    await expect.poll(() => denied(id)).toHaveLength(3)
    const entries = (await denied(id)).toSorted((a, b) => a.action.localeCompare(b.action))
    expect(entries.map(({ action, actor, target, reason }) => [action, actor.kind, target.kind, reason])).toEqual([
      ['device.token_rotate', 'device', 'device', 'token_expiring'],
      ['member.role_change', 'user', 'organization', 'role_above_own'],
      ['subscription.checkout', 'user', 'subscription', 'requires organization:manage_billing'],
    ])
    expect(rotated.device_token).toMatch(/^dvc_/)
  })

  it('is refused also when the log cannot be written', async () => {
    const { id, viewer, one } = await place()
    await api.ownerDb.execute(sql`alter table audit_entries add constraint full_log check (result <> 'denied') not valid`)
    const refused = await create(viewer, one)
    await expect.poll(() => api.lines.join('')).toContain('a denied action was not written into the audit log')
    await api.ownerDb.execute(sql`alter table audit_entries drop constraint full_log`)
    expect([refused.status, refused.error.required_permission]).toEqual([403, 'project:manage_devices'])
    expect(await denied(id)).toEqual([])
    // Nothing was recorded, so the hour has not begun.
    await create(viewer, one)
    await expect.poll(() => denied(id)).toHaveLength(1)
  })
})

it('filters and pages', async () => {
  const two = await api.call(projectAuditLog, { projectId }, { as: ines, query: { action: 'tag.create', limit: 2 } })
  expect(two.body.entries.map(({ target }) => target.name)).toEqual(['d', 'c'])
  const cursor = two.body.next_cursor ?? ''
  const rest = await api.call(projectAuditLog, { projectId }, { as: ines, query: { action: 'tag.create', limit: 2, cursor } })
  expect(rest.body.entries.map(({ target }) => target.name)).toEqual(['b', 'a'])
  const found = await api.call(projectAuditLog, { projectId }, { as: ines, query: { q: 'gatew' } })
  expect(found.body.entries.map(({ action }) => action)).toEqual(['project.create'])
  const { id, publicId: organizationId } = await api.organization(ines)
  await api.call(
    createTag,
    { projectId: await api.project({ organizationId: id }) },
    { as: ines, body: { name: 'a', colour: 'sky' } },
  )
  const theirs = await api.call(organizationAuditLog, { organizationId }, { as: ines })
  expect(theirs.body.entries.map(({ action }) => action)).toEqual(['tag.create'])
})

it('each filter finds its entries of one project, in pages and in both orders', async () => {
  const other = await api.call(createPersonalProject, {}, { as: ines, body: { name: 'Pumps' } })
  const made = await api.call(createTag, { projectId: other.body.id }, { as: ines, body: { name: 'e', colour: 'sky' } })
  for (const name of ['f', 'g', 'h']) {
    api.advance(60)
    await api.call(createTag, { projectId }, { as: ines, body: { name, colour: 'sky' } })
  }
  const all = (await api.call(projectAuditLog, { projectId }, { as: ines })).body.entries
  const [newest, before] = all
  const newestFirst = ['h', 'g', 'f', 'd', 'c', 'b', 'a']
  const filters = [
    { actor_id: ines.id },
    { target_kind: 'tag' },
    { target_id: newest?.target.id ?? '' },
    { target_id: newest?.target.id ?? '', target_kind: 'project' },
    { target_id: made.body.id },
    { actor_id: 'nobody' },
    { result: 'denied' },
    { from: before?.occurred_at ?? '' },
    { from: all[2]?.occurred_at ?? '', to: before?.occurred_at ?? '' },
    { target_kind: 'tag', sort: 'sequence' },
    { action: 'tag.create', sort: '-occurred_at' },
  ] as const
  const found = await Promise.all(
    filters.map(async (filter) => {
      const ids: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const query: QueryOf<typeof projectAuditLog> = { ...filter, limit: 1, ...(cursor !== '' && { cursor }) }
        const { body, status } = await api.call(projectAuditLog, { projectId }, { as: ines, query })
        expect(status).toBe(200)
        ids.push(...body.entries.map(({ target }) => target.name ?? ''))
        cursor = body.next_cursor
      }
      return ids
    }),
  )
  expect(found).toEqual([
    [...newestFirst, 'Gateways'],
    newestFirst,
    ['h'],
    [],
    [],
    [],
    [],
    ['h', 'g'],
    ['g', 'f'],
    newestFirst.toReversed(),
    expect.arrayContaining(newestFirst),
  ])
  expect(found.at(-1)?.slice(0, 3)).toEqual(['h', 'g', 'f'])
})

it('a time range ends with its last second, as the entries name it', async () => {
  api.advance(60.7)
  await api.call(createTag, { projectId }, { as: ines, body: { name: 'e', colour: 'sky' } })
  const [newest] = (await api.call(projectAuditLog, { projectId }, { as: ines })).body.entries
  const second = newest?.occurred_at ?? ''
  const query = { from: second, to: second }
  const { body } = await api.call(projectAuditLog, { projectId }, { as: ines, query })
  expect([body.total, body.entries.map(({ target }) => target.name)]).toEqual([1, ['e']])
  api.advance(0.3)
  await api.call(createTag, { projectId }, { as: ines, body: { name: 'f', colour: 'sky' } })
  const again = await api.call(projectAuditLog, { projectId }, { as: ines, query })
  expect(again.body.entries.map(({ target }) => target.name)).toEqual(['e'])
})

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

it('an entry contains everything in its hash, so that a reader can verify it', async () => {
  const { body } = await api.call(projectAuditLog, { projectId }, { as: ines })
  expect(body.entries.length).toBe(5)
  for (const entry of body.entries) expect(sha256(hashedText(entry))).toBe(entry.hash)
  const [newest, before] = body.entries
  expect(newest?.prev_hash).toBe(before?.hash)
  expect(newest && sha256(hashedText({ ...newest, reason: 'another' }))).not.toBe(newest?.hash)
})

it('lists the actors and actions of the log, on the first page only', async () => {
  const first = await api.call(projectAuditLog, { projectId }, { as: ines, query: { limit: 2, action: 'tag.create' } })
  expect(first.body.recent.actions).toEqual([
    { action: 'tag.create', count: 4 },
    { action: 'project.create', count: 1 },
  ])
  expect(first.body.recent.actors).toEqual([{ id: ines.id, kind: 'user', name: 'Ines Quist', count: 5 }])
  const cursor = first.body.next_cursor ?? ''
  const second = await api.call(projectAuditLog, { projectId }, { as: ines, query: { limit: 2, action: 'tag.create', cursor } })
  expect(second.body.recent).toEqual({ actions: [], actors: [] })
})

describe('the export', () => {
  it('contains filter and head first, then each entry, oldest first, and is itself recorded', async () => {
    const [head] = (await rows()).slice(-1)
    const query = { format: 'ndjson', action: 'tag.create' } as const
    const { text, headers } = await api.call(exportAuditLog, { projectId }, { as: ines, query })
    const [told, ...rest] = text
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    const entries = rest.slice(0, -1)
    expect(told).toMatchObject({
      project_id: projectId,
      filter: { action: 'tag.create' },
      head_sequence: head?.sequence,
      head_hash: head?.hash,
    })
    const read = entries as AuditEntry[]
    expect(read.map(({ target }) => target.name)).toEqual(['a', 'b', 'c', 'd'])
    for (const entry of read) expect(sha256(hashedText(entry))).toBe(entry.hash)
    expect(headers['content-disposition']).toMatch(/^attachment; filename="audit-log-.*\.ndjson"$/)
    expect((await rows()).at(-1)).toMatchObject({ action: 'audit.export', sequence: (head?.sequence ?? 0) + 1 })
  })

  it('of an organization names it, contains the entries of its projects, and is recorded in its log', async () => {
    const { id, publicId: organizationId } = await api.organization(ines)
    const auditor = await api.member(id, 'auditor')
    const operator = await api.member(id, 'operator')
    for (const name of ['One', 'Two']) {
      const one = await api.project({ organizationId: id }, name)
      await api.call(createTag, { projectId: one }, { as: ines, body: { name: name.toLowerCase(), colour: 'sky' } })
    }
    expect((await api.call(exportOrganizationAuditLog, { organizationId }, { as: operator })).error).toMatchObject({
      required_permission: 'organization:view_audit_log',
    })
    const { text } = await api.call(
      exportOrganizationAuditLog,
      { organizationId },
      { as: auditor, query: { action: 'tag.create' } },
    )
    const [told, ...rest] = text
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    const entries = rest.slice(0, -1)
    expect(told).toMatchObject({ organization_id: organizationId, filter: { action: 'tag.create' } })
    const read = entries as AuditEntry[]
    expect(read.map(({ target }) => target.name)).toEqual(['one', 'two'])
    for (const entry of read) expect(sha256(hashedText(entry))).toBe(entry.hash)
    const log = await api.call(organizationAuditLog, { organizationId }, { as: auditor, query: { result: 'success' } })
    expect(log.body.entries[0]).toMatchObject({
      action: 'audit.export',
      actor: { id: auditor.id },
      project_id: null,
      target: { kind: 'audit_log', id: organizationId },
    })
  })

  it('as CSV quotes where needed, and no cell is a formula', async () => {
    await api.call(createTag, { projectId }, { as: ines, body: { name: 'e', colour: 'sky', description: 'one, "two"' } })
    await api.call(updateSelf, {}, { as: ines, body: { full_name: '=1+1' } })
    const as = ines
    await api.call(createTag, { projectId }, { as, body: { name: 'f', colour: 'sky' } })
    const { text } = await api.call(exportAuditLog, { projectId }, { as, query: { format: 'csv' } })
    const lines = text.split('\r\n')
    expect(lines[0]).toMatch(/^"# \{""project_id"":/)
    expect(lines[1]).toMatch(/^sequence,occurred_at,action,/)
    expect(lines.at(-2)).toContain(",'=1+1,")
    expect(lines.at(-1)).toBe('')
  })
})
