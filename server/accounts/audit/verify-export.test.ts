import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type AuditEntry, exportAuditLog, exportOrganizationAuditLog } from '../../../contract/accounts/audit'
import { hashedText, signedAuditText } from '../../../contract/accounts/audit-verification'
import { publicKeyFromSpki } from '../../../contract/device/public-key'
import { createTag } from '../../../contract/fleet/tags'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { pino } from 'pino'
import type { Person } from '../../../tests/support/people'
import { type Anchors, openAnchors } from '../../core/audit/anchor'
import { trimChain } from './watch'
import { runVerifyCommand } from './verify-command'
import { verifyExport } from './verify-export'

let api: TestApi
let anchors: Anchors
let ines: Person
let organization: { id: string; publicId: string }
let projects: string[]
let folder: string

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

beforeAll(async () => {
  api = await createTestApi()
  anchors = await openAnchors(api.config.dataDirectory)
  folder = await mkdtemp(join(tmpdir(), 'teasel-export-'))
  ines = await api.person()
  organization = await api.organization(ines)
  projects = [
    await api.project({ organizationId: organization.id }, 'One'),
    await api.project({ organizationId: organization.id }, 'Two'),
  ]
  for (const name of ['a', 'b', 'c', 'd'])
    for (const projectId of projects) await api.call(createTag, { projectId }, { as: ines, body: { name, colour: 'sky' } })
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await api.close()
})

const exportAll = async () => {
  const { text } = await api.call(exportOrganizationAuditLog, { organizationId: organization.publicId }, { as: ines })
  return text.trimEnd().split('\n')
}
const exportOne = async () => {
  const { text } = await api.call(exportAuditLog, { projectId: projects[0] ?? '' }, { as: ines })
  return text.trimEnd().split('\n')
}

async function* inChunks(text: string) {
  for (let at = 0; at < text.length; at += 700) yield await Promise.resolve(text.slice(at, at + 700))
}
const verdictOf = (lines: string[]) => verifyExport(inChunks(`${lines.join('\n')}\n`))

const parse = (line: string | undefined): AuditEntry => JSON.parse(line ?? '') as AuditEntry
const change = (line: string | undefined) => JSON.stringify({ ...parse(line), reason: 'another' })
const without = (lines: string[], at: number) => lines.toSpliced(at, 1)

/** Computes the hashes of all lines from one on again, as somebody would who changed that line. */
const rehash = (lines: string[]) => {
  let hash = ''
  return lines.map((line, at) => {
    if (at === 0 || at === lines.length - 1) return line
    const entry = { ...parse(line), ...(at > 1 && { prev_hash: hash }) }
    hash = sha256(hashedText(entry))
    return JSON.stringify({ ...entry, hash })
  })
}

it('verifies an export of an organization and of a project', async () => {
  expect(await verdictOf(await exportAll())).toMatchObject({ kind: 'verified', entries: 8, omitted: 0, signature: 'valid' })
  // The log of the organization also has the exports.
  const one = await verdictOf(await exportOne())
  expect(one).toMatchObject({ kind: 'verified', entries: 4, signature: 'valid' })
  expect(one).toMatchObject({ start: { project_id: projects[0] }, omitted: 5 })
})

it.each([
  ['a changed entry', (lines: string[]) => lines.with(3, change(lines[3])), 4, /Entry 3 was changed/],
  ['a removed entry', (lines: string[]) => without(lines, 3), 4, /Entry 3 is missing: entry 4 follows instead/],
  ['two entries in another order', (lines: string[]) => lines.with(3, lines[4] ?? '').with(4, lines[3] ?? ''), 4, /is missing/],
  ['an entry twice', (lines: string[]) => lines.toSpliced(3, 0, lines[3] ?? ''), 5, /Entry 3 is in the place of entry 4/],
  ['no last line', (lines: string[]) => lines.slice(0, -1), undefined, /cut off/],
  ['no last entries', (lines: string[]) => [...lines.slice(0, 5), lines.at(-1) ?? ''], 5, /ends before entry 5/],
  ['half of a line at its end', (lines: string[]) => [...lines.slice(0, 4), lines[4]?.slice(0, 90) ?? ''], 5, /not an entry/],
  ['a changed line and new hashes', (lines: string[]) => rehash(lines.with(3, change(lines[3]))), undefined, /recorded end/],
  ['lines after the last one', (lines: string[]) => [...lines, lines[3] ?? ''], undefined, /follow the last line/],
])('refuses an export with %s', async (_, damage, line, text) => {
  const lines = await exportAll()
  const verdict = await verdictOf(damage(lines))
  expect(verdict).toMatchObject({ kind: 'broken', ...(line !== undefined && { line }) })
  expect('text' in verdict && verdict.text).toMatch(text)
})

it('refuses entries of another log in their place, although their own hashes are right', async () => {
  const lines = await exportAll()
  const other = await api.organization(ines)
  const projectId = await api.project({ organizationId: other.id }, 'Other')
  for (const name of ['x', 'y', 'z', 'u']) await api.call(createTag, { projectId }, { as: ines, body: { name, colour: 'sky' } })
  const { text } = await api.call(exportOrganizationAuditLog, { organizationId: other.publicId }, { as: ines })
  const spliced = lines.with(4, text.split('\n')[4] ?? '')
  expect(await verdictOf(spliced)).toMatchObject({
    kind: 'broken',
    line: 5,
    text: expect.stringMatching(/Entry 4 does not continue/),
  })
})

it('refuses an export of a project in which an entry is missing, which the numbers alone do not show', async () => {
  const lines = await exportOne()
  expect(await verdictOf(without(lines, 2))).toMatchObject({
    kind: 'broken',
    text: expect.stringMatching(/counts \d entries, the file has/),
  })
  const recounted = without(lines, 2)
  const { end } = JSON.parse(lines.at(-1) ?? '') as { end: { entries: number } }
  recounted[recounted.length - 1] = JSON.stringify({ end: { ...end, entries: end.entries - 1 } })
  expect(await verdictOf(recounted)).toMatchObject({ kind: 'broken', text: expect.stringMatching(/SHA-256 of the last line/) })
})

it('verifies an export that begins at the checkpoint of retention, and refuses a checkpoint that nobody signed', async () => {
  const someone = await api.person()
  const theirs = await api.organization(someone)
  const projectId = await api.project({ organizationId: theirs.id })
  const tag = (name: string) => api.call(createTag, { projectId }, { as: someone, body: { name, colour: 'sky' } })
  for (const name of ['a', 'b', 'c']) await tag(name)
  api.advance(3600)
  const log = pino({ level: 'silent' })
  const watch = { db: api.ownerDb, anchors, log, now: () => new Date() }
  await trimChain(watch, theirs.id, api.deps.clock())
  await tag('d')
  const { text } = await api.call(
    exportOrganizationAuditLog,
    { organizationId: theirs.publicId },
    { as: { ...someone, ...(await api.session(someone.id)) } },
  )
  const lines = text.trimEnd().split('\n')
  const verdict = await verdictOf(lines)
  expect(verdict).toMatchObject({ kind: 'verified', start: { checkpoint: { sequence: 3 } }, signature: 'valid' })
  const moved = JSON.stringify({
    ...JSON.parse(lines[0] ?? ''),
    checkpoint: { sequence: 4, hash: parse(lines[1]).hash, signature: null },
  })
  expect(await verdictOf([moved, ...lines.slice(2)])).toMatchObject({
    kind: 'broken',
    text: expect.stringMatching(/not by retention/),
  })
})

describe('the command', () => {
  const run = async (text: string, key?: string) => {
    const printed: string[] = []
    const stdout = vi.spyOn(process.stdout, 'write').mockImplementation((line) => printed.push(String(line)) > 0)
    const file = join(folder, 'log.ndjson')
    await writeFile(file, text)
    const code = await runVerifyCommand(file, key).finally(() => stdout.mockRestore())
    return { code, printed: printed.join('') }
  }

  it('exits with 0, 1, 2 or 3, and compares the key', async () => {
    const lines = await exportAll()
    const text = `${lines.join('\n')}\n`
    const { fingerprint } = anchors.publicKey
    expect(await run(text)).toEqual({ code: 0, printed: expect.stringContaining(fingerprint) })
    expect(await run(text, fingerprint)).toMatchObject({ code: 0 })
    expect(await run(text, '0'.repeat(64))).toMatchObject({ code: 1, printed: expect.stringMatching(/^BROKEN: signed with/) })
    expect(await run(lines.with(2, change(lines[2])).join('\n'))).toMatchObject({
      code: 1,
      printed: expect.stringMatching(/^BROKEN at line 3/),
    })
    expect(await run('sequence,occurred_at\r\n')).toMatchObject({ code: 2, printed: expect.stringMatching(/^NOT READABLE/) })
    const end = JSON.parse(lines.at(-1) ?? '') as { end: object }
    const unsigned = [...lines.slice(0, -1), JSON.stringify({ end: { ...end.end, signature: null } })].join('\n')
    expect(await run(unsigned)).toMatchObject({ code: 3, printed: expect.stringMatching(/NOT SIGNED/) })
    expect(await run(unsigned, fingerprint)).toMatchObject({ code: 1 })
  })

  it('finds an export that was signed again with another key', async () => {
    const lines = await exportAll()
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const key = await publicKeyFromSpki(publicKey.export({ type: 'spki', format: 'der' }))
    const first = JSON.stringify({ ...JSON.parse(lines[0] ?? ''), key: { ...key, fingerprint: anchors.publicKey.fingerprint } })
    const kept = [first, ...lines.slice(1, -1)]
    const before = (JSON.parse(lines.at(-1) ?? '') as { end: { chain: string; entries: number } }).end
    const end = { chain: before.chain, entries: before.entries, sha256: sha256(`${kept.join('\n')}\n`) }
    const signature = sign(null, signedAuditText('export', end), privateKey).toString('base64')
    const forged = [...kept, JSON.stringify({ end: { ...end, signature } })].join('\n')
    expect(await run(forged)).toMatchObject({ code: 0, printed: expect.not.stringContaining(anchors.publicKey.fingerprint) })
    expect(await run(forged, anchors.publicKey.fingerprint)).toMatchObject({ code: 1 })
  })
})
