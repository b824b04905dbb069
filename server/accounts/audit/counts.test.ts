import { sql } from 'drizzle-orm'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { organizationAuditLog, projectAuditLog } from '../../../contract/accounts/audit'
import type { QueryOf } from '../../../contract/core/endpoint'
import { createTag, deleteTag } from '../../../contract/fleet/tags'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { openAnchors } from '../../core/audit/anchor'
import { appendAll } from '../../core/audit/chain'
import { auditCounts } from '../../core/database/schema/audit'
import { trimChain } from './watch'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

/** The counts that are kept, and those of the entries that are there. */
const expectCounted = async () => {
  const kept = await api.db
    .select({
      chain_id: auditCounts.chainId,
      log: auditCounts.projectId,
      field: auditCounts.field,
      value: auditCounts.value,
      n: auditCounts.n,
    })
    .from(auditCounts)
    .orderBy(sql`1, 2, 3, 4`)
  const { rows: counted } = await api.db.execute(sql`
    select chain_id, log, field, value, count(*) as n from audit_entries, audit_values(project_id, action, actor, target, result)
    group by 1, 2, 3, 4 order by 1, 2, 3, 4`)
  expect(kept).toEqual(counted)
  expect(kept.length).toBeGreaterThan(0)
}

it('the kept counts of a log are those of its entries, after single ones, many at once, and retention', async () => {
  const ines = await api.person()
  const { id, publicId: organizationId } = await api.organization(ines)
  const projects = [await api.project({ organizationId: id }, 'One'), await api.project({ organizationId: id }, 'Two')]
  const maria = await api.member(id, 'developer')
  for (const projectId of projects) {
    const tag = await api.call(createTag, { projectId }, { as: ines, body: { name: 'field', colour: 'sky' } })
    await api.call(createTag, { projectId }, { as: maria, body: { name: 'lab', colour: 'sky' } })
    const deleted = await api.call(
      deleteTag,
      { tagId: tag.body.id },
      { as: ines, headers: { 'if-match': `"${tag.body.revision}"` } },
    )
    expect(deleted.status).toBe(204)
  }
  // No entry has such a target yet, and some have no project.
  const facts = ['success', 'denied', 'failure', 'success'].map((result, at) => ({
    occurredAt: api.deps.clock(),
    action: 'tag.update',
    result: result as 'success',
    actor: { kind: 'user', id: ines.id, name: `Ines ${at}`, email: null },
    credential: { kind: 'session', id: null },
    sourceIp: null,
    userAgent: null,
    requestId: 'many',
    projectId: at === 3 ? null : (projects[0] ?? null),
    target: { kind: 'tag', id: `tag-${at}`, name: null },
    changes: [],
    reason: null,
  }))
  await api.db.transaction((tx) => appendAll(tx, id, facts))
  await expectCounted()

  const { body } = await api.call(organizationAuditLog, { organizationId }, { as: ines })
  expect(body.total).toBe(body.chain.head_sequence)
  // The newest name of those that an actor has had.
  expect(body.recent.actors).toContainEqual({ id: ines.id, kind: 'user', name: 'Ines 3', count: expect.any(Number) })
  const of = async (query: QueryOf<typeof projectAuditLog>) => {
    const [projectId = ''] = projects
    const found = await api.call(projectAuditLog, { projectId }, { as: ines, query: { ...query, limit: 2 } })
    return found.body.total
  }
  expect(await of({})).toBe(6)
  expect(await of({ action: 'tag.create' })).toBe(2)
  expect(await of({ actor_id: maria.id })).toBe(1)
  expect(await of({ target_kind: 'tag' })).toBe(6)
  expect(await of({ result: 'denied' })).toBe(1)
  expect(await of({ action: 'tag.create', actor_id: maria.id })).toBe(1)
  expect(await of({ action: 'never.done' })).toBe(0)

  const watch = {
    db: api.ownerDb,
    anchors: await openAnchors(api.config.dataDirectory),
    log: pino({ level: 'silent' }),
    now: () => api.deps.clock(),
  }
  expect(await trimChain(watch, id, new Date(Date.now() + 86_400_000))).toBe(10)
  await expectCounted()
  const left = await api.call(organizationAuditLog, { organizationId }, { as: ines })
  expect(left.body.recent).toEqual({ actions: [{ action: 'audit.trim', count: 1 }], actors: [] })
  expect(left.body.total).toBe(1)
})

it('two people who change different projects of an organization at a time wait for each other and are both counted', async () => {
  const ines = await api.person()
  const { id } = await api.organization(ines)
  const maria = await api.member(id, 'admin')
  const projects = [await api.project({ organizationId: id }, 'One'), await api.project({ organizationId: id }, 'Two')]
  const names = Array.from({ length: 12 }, (_, at) => `tag-${at}`)
  const replies = await Promise.all(
    names.map((name, at) =>
      api.call(
        createTag,
        { projectId: projects[at % 2] ?? '' },
        { as: at % 3 === 0 ? maria : ines, body: { name, colour: 'sky' } },
      ),
    ),
  )
  expect(replies.map(({ status }) => status)).toEqual(names.map(() => 201))
  await expectCounted()
})
