import { appendFile, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { asc, eq, sql } from 'drizzle-orm'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { genesis } from '../../../contract/accounts/audit-verification'
import { organizationAuditLog, projectAuditLog } from '../../../contract/accounts/audit'
import { createTag } from '../../../contract/fleet/tags'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import type { Person } from '../../../tests/support/people'
import { auditChains } from '../database/schema/audit'
import { auditEntries } from '../database/schema/audit-entries.partitioned'
import { type Anchors, findAnchors, openAnchors } from './anchor'
import { entryHash, verify } from './chain'
import { anchorHeads, anchorRestore, type AuditWatch, trimChain, walkChains, watchAuditLog } from '../../accounts/audit/watch'

let api: TestApi
let anchors: Anchors
let watch: AuditWatch
let lines: string[]
let ines: Person
let projectId: string

beforeAll(async () => {
  api = await createTestApi()
  anchors = await openAnchors(api.config.dataDirectory)
})
afterAll(() => api.close())

const tag = (name: string) => api.call(createTag, { projectId }, { as: ines, body: { name, colour: 'sky' } })

beforeEach(async () => {
  // Each test starts with an empty audit log.
  await asIntruder(sql`truncate audit_entries, audit_chains`)
  for (const id of await anchors.list()) await writeFile(fileOf(id), '')
  lines = []
  const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) })
  watch = { db: api.ownerDb, anchors, log, now: () => new Date() }
  ines = await api.person()
  projectId = await api.project({ ownerId: ines.id })
  for (const name of ['a', 'b', 'c', 'd', 'e']) await tag(name)
})

const fileOf = (chain: string) => join(api.config.dataDirectory, 'audit-heads', `${chain}.jsonl`)

// A superuser is stopped by no trigger and no missing right.
const asIntruder = (...statements: ReturnType<typeof sql>[]) =>
  api.ownerDb.transaction(async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`)
    for (const statement of statements) await tx.execute(statement)
  })

const entries = () =>
  api.ownerDb.select().from(auditEntries).where(eq(auditEntries.chainId, ines.id)).orderBy(asc(auditEntries.sequence))

const shown = async () => (await api.call(projectAuditLog, { projectId }, { as: ines })).body.chain

const cutEnd = async (from: number) => {
  const last = (await entries())[from - 2]
  await asIntruder(
    sql`delete from audit_entries where chain_id = ${ines.id} and sequence >= ${from}`,
    sql`update audit_chains set sequence = ${from - 1}, hash = ${last?.hash ?? genesis} where id = ${ines.id}`,
  )
}

const dropStart = async (to: number) => {
  const last = (await entries())[to - 1]
  await asIntruder(
    sql`delete from audit_entries where chain_id = ${ines.id} and sequence <= ${to}`,
    sql`update audit_chains set checkpoint_sequence = ${to}, checkpoint_hash = ${last?.hash} where id = ${ines.id}`,
  )
}

/** Changes an entry and recomputes its hash and all later hashes so that the chain verifies. */
const rewrite = async (sequence: number) => {
  let hash = genesis
  for (const { hash: _, ...entry } of await entries()) {
    const forged = { ...entry, prevHash: hash, ...(entry.sequence === sequence && { reason: 'another' }) }
    hash = entryHash(forged)
    await asIntruder(
      sql`update audit_entries set reason = ${forged.reason}, prev_hash = ${forged.prevHash}, hash = ${hash}
        where chain_id = ${ines.id} and sequence = ${entry.sequence}`,
    )
  }
  await asIntruder(sql`update audit_chains set hash = ${hash} where id = ${ines.id}`)
}

const truncateAll = () => asIntruder(sql`truncate audit_entries_default`, sql`delete from audit_chains where id = ${ines.id}`)

const attacks = [
  { title: 'cuts the end off and moves the head back', run: () => cutEnd(4), mismatch: 'end_removed', firstBad: 4 },
  { title: 'drops the start and moves the checkpoint', run: () => dropStart(2), mismatch: 'start_removed', firstBad: 1 },
  { title: 'rewrites all hashes', run: () => rewrite(2), mismatch: 'rewritten', firstBad: null },
  { title: 'truncates a partition and removes the head', run: truncateAll, mismatch: 'end_removed', firstBad: 1 },
] as const

describe('T-20: the anchor', () => {
  it.each(attacks)('detects an intruder who $title, at each comparison and on the page', async ({ run, mismatch, firstBad }) => {
    await anchorHeads(watch)
    expect(await shown()).toMatchObject({ verified: 'yes', anchor: { state: 'match', sequence: 5 } })
    await run()
    // The chain alone does not show the change.
    expect((await verify(api.ownerDb, ines.id)).whole).toBe(true)
    for (const round of [1, 2]) {
      expect(await walkChains(watch)).toMatchObject({ wrong: 1 })
      expect(lines).toHaveLength(round)
      expect(lines.at(-1)).toContain(`"chain":"${ines.id}","mismatch":"${mismatch}"`)
    }
    expect(await shown()).toMatchObject({ verified: 'no', first_bad: firstBad, anchor: { state: 'mismatch', mismatch } })
  })

  it.each(attacks)('still detects an intruder who $title after further entries', async ({ run, mismatch }) => {
    await anchorHeads(watch)
    await run()
    for (const name of ['f', 'g', 'h', 'i', 'j', 'k']) await tag(name)
    expect(await anchorHeads(watch)).toBe(0)
    const { anchor } = await shown()
    // Once the log is as long as before, the anchored entry differs instead of missing.
    expect(anchor).toMatchObject({ state: 'mismatch', mismatch: mismatch === 'end_removed' ? 'rewritten' : mismatch })
  })

  it('is written for heads that moved, after the entries since the anchor before were verified', async () => {
    expect(await anchorHeads(watch)).toBe(1)
    expect(await anchorHeads(watch)).toBe(0)
    await tag('f')
    await tag('g')
    await asIntruder(sql`update audit_entries set reason = 'x' where chain_id = ${ines.id} and sequence = 6`)
    expect(await anchorHeads(watch)).toBe(0)
    expect(await anchors.find(ines.id)).toMatchObject({ kind: 'head', sequence: 5, count: 5, hash: (await entries())[4]?.hash })
    expect(await shown()).toMatchObject({ verified: 'no', first_bad: 6, anchor: { state: 'match' } })
    expect(await walkChains(watch)).toMatchObject({ wrong: 1 })
    expect(lines).toEqual([expect.stringContaining('"first_bad":6')])
  })

  it('is stored in files that only their owner can read, and survives an incomplete line', async () => {
    await anchorHeads(watch)
    const key = join(api.config.dataDirectory, 'audit-heads/key.pem')
    for (const path of [key, fileOf(ines.id)]) expect((await stat(path)).mode & 0o777).toBe(0o600)
    const text = await readFile(fileOf(ines.id), 'utf8')
    await appendFile(fileOf(ines.id), text.slice(0, 40))
    expect((await anchors.find(ines.id))?.sequence).toBe(5)
    await tag('f')
    await anchorHeads(watch)
    expect((await anchors.find(ines.id))?.sequence).toBe(6)
    expect((await readFile(fileOf(ines.id), 'utf8')).startsWith(text)).toBe(true)
  })

  it('counts only with the signature of this installation', async () => {
    await anchorHeads(watch)
    const text = await readFile(fileOf(ines.id), 'utf8')
    await writeFile(fileOf(ines.id), text.replace('"sequence":5', '"sequence":3'))
    expect(await shown()).toMatchObject({ verified: 'no', anchor: { state: 'mismatch', mismatch: 'anchor_changed' } })
    expect(await walkChains(watch)).toMatchObject({ wrong: 1 })
    // An anchor of another chain does not count either.
    const other = await api.person()
    await writeFile(fileOf(other.id), text)
    await expect(anchors.find(other.id)).rejects.toThrow('no signature')
    await writeFile(fileOf(other.id), '')
  })

  it('stays in force when retention removes old entries, signed, and the rights of the hosts are not enough for that', async () => {
    await anchorHeads(watch)
    const third = (await entries())[2]?.occurredAt ?? new Date()
    api.advance(3600)
    await tag('f')
    await expect(trimChain({ ...watch, db: api.db }, ines.id, new Date(third.getTime() + 1000))).rejects.toThrow()
    expect(await trimChain(watch, ines.id, new Date(third.getTime() + 1000))).toBe(5)
    expect(await walkChains(watch)).toMatchObject({ wrong: 0 })
    expect(await shown()).toMatchObject({ verified: 'yes', first_sequence: 6, head_sequence: 7, anchor: { state: 'match' } })
    // A checkpoint beyond the one that was signed.
    await tag('g')
    await anchorHeads(watch)
    await asIntruder(
      sql`delete from audit_entries where chain_id = ${ines.id} and sequence = 6`,
      sql`update audit_chains set checkpoint_sequence = 6, checkpoint_hash = (select prev_hash from audit_entries where chain_id = ${ines.id} and sequence = 7) where id = ${ines.id}`,
    )
    expect(await shown()).toMatchObject({ verified: 'no', first_bad: 6, anchor: { mismatch: 'start_removed' } })
  })

  it('reports a log shortened by a restore as restored, not as changed', async () => {
    await anchorHeads(watch)
    await cutEnd(4)
    await anchorRestore(watch, '2026-05-30T00:00:00.000Z')
    expect(await walkChains(watch)).toMatchObject({ wrong: 0 })
    expect(await shown()).toMatchObject({ verified: 'yes', anchor: { state: 'match', restored_from: 5, sequence: 3 } })
    await tag('z')
    await anchorHeads(watch)
    const { anchor } = await shown()
    expect(anchor).toMatchObject({ state: 'match', restored_from: 5, sequence: 4 })
    expect(anchor.restored_at).not.toBeNull()
  })

  it('of a restore that is repeated keeps where the log ended before the first one', async () => {
    await anchorHeads(watch)
    await cutEnd(4)
    await anchorRestore(watch, '2026-05-30T00:00:00.000Z')
    await anchorRestore(watch, '2026-05-30T00:00:00.000Z')
    expect(await shown()).toMatchObject({ verified: 'yes', anchor: { state: 'match', restored_from: 5, sequence: 3 } })
  })

  it('is compared with the log of an organization too', async () => {
    const { id, publicId: organizationId } = await api.organization(ines)
    projectId = await api.project({ organizationId: id })
    await tag('a')
    await tag('b')
    await anchorHeads(watch)
    await asIntruder(sql`truncate audit_entries, audit_chains`)
    const { body } = await api.call(organizationAuditLog, { organizationId }, { as: ines })
    expect(body.chain).toMatchObject({ verified: 'no', first_bad: 1, anchor: { mismatch: 'end_removed', sequence: 2 } })
  })

  it('is written at the start and at the end of the process that watches', async () => {
    const options = { url: () => api.ownerUrl, dataDirectory: api.config.dataDirectory, log: watch.log }
    await watchAuditLog(options).stop()
    expect((await anchors.find(ines.id))?.sequence).toBe(5)
    const watching = watchAuditLog(options)
    await tag('f')
    await watching.stop()
    expect((await anchors.find(ines.id))?.sequence).toBe(6)
    expect(lines).toEqual([])
    await cutEnd(3)
    await watchAuditLog(options).stop()
    expect(lines).toEqual([expect.stringContaining('end_removed')])
  })
})

it('a data directory without a start has no anchors', async () => {
  expect(await findAnchors(join(api.config.dataDirectory, 'nothing'))).toBeUndefined()
})

describe('T-20: a log of 5,000 entries', () => {
  const fill = async (count: number) => {
    let [last] = (await entries()).slice(-1)
    for (let n = 0; n < count; n += 500) {
      const rows: (typeof auditEntries.$inferSelect)[] = []
      for (let k = 0; k < 500 && last; k++) {
        const { hash, ...entry } = last
        const next = {
          ...entry,
          sequence: entry.sequence + 1,
          id: `${entry.id.slice(0, 20)}${String(n + k).padStart(6, '0')}`,
          prevHash: hash,
        }
        last = { ...next, hash: entryHash(next) }
        rows.push(last)
      }
      await api.ownerDb.insert(auditEntries).values(rows)
    }
  }

  it('is fully verified by the watching process, then incrementally by a request; a wrong entry is named', async () => {
    await fill(5000)
    const [chain] = await api.ownerDb.select().from(auditChains).where(eq(auditChains.id, ines.id))
    expect(chain?.sequence).toBe(5005)
    expect((await shown()).verified).toBe('unknown')
    await walkChains(watch)
    await tag('y')
    expect(await shown()).toMatchObject({ verified: 'yes', head_sequence: 5006, anchor: { state: 'match', sequence: 5005 } })
    // A change after the anchor is found by the request itself.
    await asIntruder(sql`update audit_entries set reason = 'x' where chain_id = ${ines.id} and sequence = 5006`)
    expect(await shown()).toMatchObject({ verified: 'no', first_bad: 5006 })
    // A change before the anchor is found by the next walk.
    await asIntruder(sql`update audit_entries set reason = 'x' where chain_id = ${ines.id} and sequence = 10`)
    await walkChains(watch)
    expect(await shown()).toMatchObject({ verified: 'no', first_bad: 10 })
    expect(lines).toEqual([expect.stringContaining('"first_bad":10')])
  })
})
