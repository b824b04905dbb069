import { createHash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AuditChainPage, organizationAuditChain, projectAuditChain } from '../../contract/accounts/audit'
import { type ChainProgress, createChainVerifier, isEntry } from '../../contract/accounts/audit-verification'
import { createTag } from '../../contract/fleet/tags'
import { anchorHeads, type AuditWatch, trimChain } from '../../server/accounts/audit/watch'
import { type Anchors, openAnchors } from '../../server/core/audit/anchor'
import { createTestApi, type TestApi } from '../support/api'
import type { Person } from '../support/people'

let api: TestApi
let anchors: Anchors
let watch: AuditWatch
let ines: Person
let place: { id: string; publicId: string }
let one: string
let two: string

beforeAll(async () => {
  api = await createTestApi()
  anchors = await openAnchors(api.config.dataDirectory)
  watch = { db: api.ownerDb, anchors, log: pino({ level: 'silent' }), now: () => api.deps.clock() }
})
afterAll(() => api.close())

const tag = (projectId: string, name: string) => api.call(createTag, { projectId }, { as: ines, body: { name, colour: 'sky' } })

beforeEach(async () => {
  ines = await api.person()
  place = await api.organization(ines)
  one = await api.project({ organizationId: place.id }, 'One')
  two = await api.project({ organizationId: place.id }, 'Two')
  for (const name of ['a', 'b', 'c', 'd', 'e']) for (const project of [one, two]) await tag(project, name)
})

const asIntruder = (...statements: ReturnType<typeof sql>[]) =>
  api.ownerDb.transaction(async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`)
    for (const statement of statements) await tx.execute(statement)
  })

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

type Read = (after: number) => Promise<AuditChainPage>
const ofProject: Read = async (after) =>
  (await api.call(projectAuditChain, { projectId: one }, { as: ines, query: { after, limit: 3 } })).body
const ofOrganization: Read = async (after) =>
  (await api.call(organizationAuditChain, { organizationId: place.publicId }, { as: ines, query: { after, limit: 3 } })).body

/** Reads pages of three entries, as the console does with longer ones. */
const verifyAll = async (read: Read, between?: (page: number) => Promise<unknown>): Promise<ChainProgress> => {
  const verifier = createChainVerifier(sha256)
  for (let page = 0, after = 0; ; page++) {
    const progress = await verifier.add(await read(after))
    if (progress.done) return progress
    after = progress.last
    await between?.(page)
  }
}

it('has the whole log in pages, with the head and the key of the installation', async () => {
  await anchorHeads(watch)
  const whole = await verifyAll(ofOrganization)
  expect(whole).toMatchObject({ checked: 10, total: 10, recomputed: 10, first: 1, last: 10, finding: null })
  expect(whole).toMatchObject({ anchor: { sequence: 10, signature: 'valid' }, key: anchors.publicKey, checkpoint: null })
})

it('has only the hashes of entries that belong to another project', async () => {
  const page = await ofProject(0)
  expect(page.entries.map((step) => [step.sequence, isEntry(step)])).toEqual([
    [1, true],
    [2, false],
    [3, true],
  ])
  expect(Object.keys(page.entries[1] ?? {})).toEqual(['sequence', 'prev_hash', 'hash'])
  expect(await verifyAll(ofProject)).toMatchObject({ checked: 10, recomputed: 5, finding: null, done: true })
})

it('is read to the head that it had at the start, while it grows', async () => {
  const grown = await verifyAll(ofOrganization, (page) => tag(one, `more-${page}`))
  expect(grown).toMatchObject({ checked: 10, last: 10, finding: null })
})

it('continues from the checkpoint when retention removes entries meanwhile', async () => {
  api.advance(3600)
  const before = api.deps.clock()
  ines = { ...ines, ...(await api.session(ines.id)) }
  await tag(one, 'late')
  const trimmed = await verifyAll(ofOrganization, async (page) => page === 0 && trimChain(watch, place.id, before))
  expect(trimmed).toMatchObject({
    first: 11,
    last: 11,
    total: 1,
    checkpoint: { sequence: 10, signature: 'valid' },
    finding: null,
  })
  // The removal is an entry too.
  expect(await verifyAll(ofOrganization)).toMatchObject({ checked: 2, total: 2, finding: null })
})

describe('T-20: the reader finds what an attacker with database access did', () => {
  const where = (sequence: number) => sql`where chain_id = ${place.id} and sequence = ${sequence}`
  it.each([
    ['edited an entry', () => [sql`update audit_entries set reason = 'x' ${where(5)}`], 5, 'changed'],
    ['removed one', () => [sql`delete from audit_entries ${where(5)}`], 5, 'missing'],
    [
      'swapped two',
      () => [
        sql`update audit_entries set sequence = 1000 ${where(5)}`,
        sql`update audit_entries set sequence = 5 ${where(6)}`,
        sql`update audit_entries set sequence = 6 ${where(1000)}`,
      ],
      5,
      'not_linked',
    ],
    ['removed the end', () => [sql`delete from audit_entries where chain_id = ${place.id} and sequence > 8`], 9, 'end'],
    [
      'removed the end with the head',
      () => [
        sql`delete from audit_entries where chain_id = ${place.id} and sequence > 8`,
        sql`update audit_chains set sequence = 8, hash = (select hash from audit_entries ${where(8)}) where id = ${place.id}`,
      ],
      9,
      'end',
    ],
    ['changed the head', () => [sql`update audit_chains set hash = ${'f'.repeat(64)} where id = ${place.id}`], 10, 'head'],
    [
      'moved the checkpoint',
      () => [
        sql`update audit_chains set checkpoint_sequence = 2, checkpoint_hash = (select hash from audit_entries ${where(2)}) where id = ${place.id}`,
        sql`delete from audit_entries where chain_id = ${place.id} and sequence <= 2`,
      ],
      3,
      'checkpoint',
    ],
  ])('%s', async (_, attack, sequence, fault) => {
    await anchorHeads(watch)
    await asIntruder(...attack())
    expect(await verifyAll(ofOrganization)).toMatchObject({ finding: { sequence, fault }, done: true })
  })

  it('edited an entry of another project: its log shows it, this one does not', async () => {
    await asIntruder(sql`update audit_entries set reason = 'x' ${where(6)}`)
    expect((await verifyAll(ofProject)).finding).toBeNull()
    expect((await verifyAll(ofOrganization)).finding).toEqual({ sequence: 6, fault: 'changed' })
  })
})
