import { createHash } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AuditEntry, exportAuditLog, hashedText, organizationAuditLog, projectAuditLog } from '../../contract/audit'
import { createPersonalProject } from '../../contract/projects'
import { createTag, tags } from '../../contract/tags'
import { updateSelf } from '../../contract/users'
import { verify } from '../../server/audit/chain'
import { auditEntries } from '../../server/database/schema/audit-entries.partitioned'
import { createTestApi, type TestApi } from '../support/api'
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

// What an intruder at the database would do: the trigger is in the way until it is switched off.
const tamper = (...statements: ReturnType<typeof sql>[]) =>
  api.db.transaction(async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`)
    for (const statement of statements) await tx.execute(statement)
  })

describe('T-20', () => {
  it('a change has its row, a refusal and a reading have none', async () => {
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
  ])('somebody at the database %s: the chain says where', async (_, statement, sequence) => {
    await tamper(statement(sequence))
    const firstBad = sequence === 5 ? 6 : 3
    expect(await verify(api.db, ines.id)).toEqual({ whole: false, firstBad })
    const shown = await api.call(projectAuditLog, { projectId }, { as: ines })
    expect(shown.body.chain).toMatchObject({ verified: 'no', first_bad: firstBad })
  })

  it('somebody at the database swaps two: the chain says where', async () => {
    const move = (from: number, to: number) => sql`update audit_entries set sequence = ${to} ${where(from)}`
    await tamper(move(3, 1000), move(4, 3), move(1000, 4))
    expect(await verify(api.db, ines.id)).toEqual({ whole: false, firstBad: 3 })
  })

  it('entries of many at once stand in one unbroken line', async () => {
    const names = Array.from({ length: 24 }, (_, n) => `many-${n}`)
    const answers = await Promise.all(
      names.map((name) => api.call(createTag, { projectId }, { as: ines, body: { name, colour: 'sky' } })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    expect(await verify(api.db, ines.id)).toEqual({ whole: true, head: 29 })
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

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

it('an entry carries all that its hash is made of: whoever reads it can check it', async () => {
  const { body } = await api.call(projectAuditLog, { projectId }, { as: ines })
  expect(body.entries.length).toBe(5)
  for (const entry of body.entries) expect(sha256(hashedText(entry))).toBe(entry.hash)
  const [newest, before] = body.entries
  expect(newest?.prev_hash).toBe(before?.hash)
  expect(newest && sha256(hashedText({ ...newest, reason: 'another' }))).not.toBe(newest?.hash)
})

it('says who and what the newest entries speak of, on the first page alone', async () => {
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
  it('tells filter and head first, then each entry, oldest first, and is itself an entry', async () => {
    const [head] = (await rows()).slice(-1)
    const query = { format: 'ndjson', action: 'tag.create' } as const
    const { text, headers } = await api.call(exportAuditLog, { projectId }, { as: ines, query })
    const [told, ...entries] = text
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    expect(told).toEqual({
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

  it('as CSV quotes what must be, and no cell is a formula', async () => {
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
