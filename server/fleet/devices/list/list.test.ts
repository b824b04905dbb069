import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inArray, sql } from 'drizzle-orm'
import { ulid } from 'ulid'
import * as contract from '../../../../contract/fleet/devices'
import type { Device } from '../../../../contract/fleet/devices'
import { devices, deviceTags } from '../../schema/devices'
import { tags } from '../../schema/tags'
import { maintainCounts } from '../state/counts'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import type { Person } from '../../../../tests/support/people'

const COUNT = 300
const sorts = [
  'name',
  'serial_number',
  'hardware_model',
  'lifecycle',
  'version',
  'created_at',
  'enrolled_at',
  'last_seen_at',
  'deleted_at',
  'connectivity',
  'health',
  'update',
]

const [keyA, keyB] = ['a'.repeat(64), 'b'.repeat(64)]

let api: TestApi
let ann: Person
let projectId: string

// Few different values in every column: most rows of a page have the same sort key, so the id has to decide.
const row = (n: number, now: Date): typeof devices.$inferInsert => ({
  id: ulid(now.getTime()),
  createdAt: new Date(now.getTime() - (n % 5) * 1000),
  updatedAt: now,
  projectId,
  name: `Device ${n}`,
  serialNumber: n % 7 === 0 ? null : `SN-${n}`,
  hardwareModel: ['gw-a', 'gw-b', 'cam'][n % 3] ?? '',
  lifecycle: n % 10 === 0 ? 'disabled' : 'active',
  enrollment: 'group',
  enrolledAt: n % 4 === 0 ? null : now,
  lastSeenAt: [null, now, new Date(now.getTime() - 9000_000), new Date(now.getTime() - 99_000_000)][n % 4] ?? null,
  installedVersion: n % 6 === 0 ? null : 1 + (n % 3),
  installedDisplayVersion: n % 3 === 0 ? null : `1.${n % 3}`,
  installedAt: now,
  healthStatus: (['healthy', 'warning', 'critical'] as const)[n % 3],
  updateState: ([null, 'queued', 'installing', 'failed', 'succeeded'] as const)[n % 5],
  attributes: { kernel_version: `6.${n % 4}`, cpu_count: n % 3, 'odd name.': n === 7 },
  trustedKeys: n % 8 === 0 ? [keyA, keyB] : [keyA],
  quarantineUntil: n % 50 === 0 ? new Date(now.getTime() + 1000_000) : n % 50 === 1 ? now : null,
})

beforeAll(async () => {
  api = await createTestApi()
  ann = await api.person()
  projectId = await api.project({ ownerId: ann.id })
  const now = api.deps.clock()
  const rows = Array.from({ length: COUNT }, (_, n) => row(n, now))
  await api.db.insert(devices).values(rows)
  const tag = { id: ulid(), createdAt: now, updatedAt: now, projectId, name: 'beta', colour: 'moss' as const }
  await api.db.insert(tags).values(tag)
  const tagged = rows.filter((_, n) => n % 9 === 0)
  await api.db.insert(deviceTags).values(tagged.map(({ id }) => ({ projectId, deviceId: id, tagId: tag.id })))
  const other = { ...tag, id: ulid(), name: 'lab' }
  await api.db.insert(tags).values(other)
  await api.db
    .insert(deviceTags)
    .values(rows.flatMap(({ id }, n) => (n % 6 === 0 ? [{ projectId, deviceId: id, tagId: other.id }] : [])))
})
afterAll(() => api.close())

type Query = NonNullable<Parameters<typeof list>[0]>
const list = async (query: { [name: string]: string | number | string[] | undefined } = {}) => {
  const reply = await api.call(contract.devices, { projectId }, { as: ann, query: query as never })
  expect(reply.status, reply.text).toBe(200)
  return reply.body
}

const walk = async (query: Query, between: (page: number) => Promise<void> = async () => {}) => {
  const seen: Device[] = []
  let cursor: string | undefined
  for (let page = 0; page < 50; page++) {
    const { devices: found, next_cursor } = await list({ ...query, limit: 37, cursor })
    seen.push(...found)
    await between(page)
    if (next_cursor === null) return seen
    cursor = next_cursor
  }
  throw new Error('the list does not end')
}

describe.each(sorts.flatMap((sort) => [sort, `-${sort}`]))('sorted by %s', (sort) => {
  it('returns all devices once, page by page', async () => {
    const seen = await walk({ sort })
    expect(seen).toHaveLength(COUNT)
    expect(new Set(seen.map(({ id }) => id)).size).toBe(COUNT)
  })
})

describe('while devices come in', () => {
  it.each(['name', '-created_at', 'version'])('neither skips nor repeats existing devices, sorted by %s', async (sort) => {
    const before = new Set((await walk({ sort })).map(({ id }) => id))
    const added: string[] = []
    const seen = await walk({ sort }, async (page) => {
      const extra = { ...row(1000 + page, api.deps.clock()), name: `${sort} ${page}`, serialNumber: null, hardwareModel: 'late' }
      added.push(extra.id)
      await api.db.insert(devices).values(extra)
    })
    const ids = seen.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect([...before].filter((id) => !ids.includes(id))).toEqual([])
    await api.db.delete(devices).where(inArray(devices.id, added))
  })
})

const sum = (facet: { count: number }[]) => facet.reduce((total, { count }) => total + count, 0)

describe('facets', () => {
  it('count the whole filter, not the page', async () => {
    const { facets, total, devices: page } = await list({ limit: 5 })
    expect(page).toHaveLength(5)
    expect(total).toBe(COUNT)
    expect([facets.connectivity, facets.health, facets.update].map(sum)).toEqual([COUNT, COUNT, COUNT])
    expect(sum(facets.version)).toBe(COUNT - COUNT / 6)
    expect(facets.tag).toEqual([
      { value: 'lab', count: COUNT / 6, colour: 'moss' },
      { value: 'beta', count: Math.ceil(COUNT / 9), colour: 'moss' },
    ])
  })

  const fields = ['connectivity', 'health', 'update', 'version', 'tag'] as const
  it.each(fields)('give the counts that the filter by %s returns', async (field) => {
    const { facets } = await list()
    expect(facets[field].length).toBeGreaterThan(0)
    for (const { value, count } of facets[field]) {
      const filtered = await list({ [field]: value })
      expect(filtered.total, value).toBe(count)
      expect(filtered.facets[field].find((one) => one.value === value)?.count).toBe(count)
    }
  })

  it('match the state in the device itself', async () => {
    const { facets } = await list()
    const seen = await walk({})
    const counted = (of: (device: Device) => string) =>
      seen.map(of).reduce<Record<string, number>>((counts, value) => ({ ...counts, [value]: (counts[value] ?? 0) + 1 }), {})
    const told = (facet: { value: string; count: number }[]) =>
      Object.fromEntries(facet.map(({ value, count }) => [value, count]))
    expect(told(facets.connectivity)).toEqual(counted(({ connectivity }) => connectivity))
    expect(told(facets.health)).toEqual(counted(({ health }) => health.status))
  })
})

describe('filters', () => {
  const of = (is: (n: number) => boolean) => Array.from({ length: COUNT }, (_, n) => n).filter(is)
  const [hasBeta, hasLab] = [(n: number) => n % 9 === 0, (n: number) => n % 6 === 0]
  const versionOf = (n: number) => (n % 6 === 0 ? null : 1 + (n % 3))

  it.each<[string, Record<string, string | string[]>, (n: number) => boolean]>([
    ['any of two tags', { tag: ['beta', 'lab'] }, (n) => hasBeta(n) || hasLab(n)],
    ['any of a tag and one that does not exist', { tag: ['beta', 'zz'], tag_mode: 'any' }, hasBeta],
    ['any of no tag that exists', { tag: ['zz'] }, () => false],
    ['all of two tags', { tag: ['beta', 'lab'], tag_mode: 'all' }, (n) => hasBeta(n) && hasLab(n)],
    ['all of a tag and one that does not exist', { tag: ['beta', 'zz'], tag_mode: 'all' }, () => false],
    ['none of two tags', { tag: ['beta', 'lab'], tag_mode: 'none' }, (n) => !hasBeta(n) && !hasLab(n)],
    ['none of no tag that exists', { tag: ['zz'], tag_mode: 'none' }, () => true],
    ['a version below', { version_lt: '3' }, (n) => (versionOf(n) ?? 9) < 3],
    ['a version above', { version_gt: '2' }, (n) => (versionOf(n) ?? 0) > 2],
    ['a version between', { version_gt: '1', version_lt: '3' }, (n) => versionOf(n) === 2],
    ['a quarantine', { quarantined: 'true' }, (n) => n % 50 === 0],
    ['no quarantine', { quarantined: 'false' }, (n) => n % 50 !== 0],
    ['a key', { trusts_key: keyB }, (n) => n % 8 === 0],
    ['a key that no device has', { trusts_key: 'c'.repeat(64) }, () => false],
    ['a text attribute', { 'attr.kernel_version': '6.3' }, (n) => n % 4 === 3],
    ['two attributes', { 'attr.kernel_version': '6.3', 'attr.cpu_count': '2' }, (n) => n % 4 === 3 && n % 3 === 2],
    ['an attribute with dots and a truth value', { 'attr.odd name.': 'true' }, (n) => n === 7],
    ['an attribute that no device has', { 'attr.zz': '1' }, () => false],
    ['an attribute and a key', { 'attr.kernel_version': '6.0', trusts_key: keyB }, (n) => n % 8 === 0],
    ['the last contact', { last_seen_before: '2020-01-01T00:00:00+00:00' }, (n) => n % 4 === 0],
    ['three fields', { lifecycle: 'disabled', tag: 'lab', version_gt: '0' }, () => false],
  ])('by %s return the devices to which they apply, and count them', async (_, query, is) => {
    const found = await walk(query)
    const numbers = found.map(({ name }) => Number(name.slice('Device '.length)))
    expect(numbers.toSorted((a, b) => a - b)).toEqual(of(is))
    const { facets, total } = await list({ ...query, limit: 5 })
    expect([total, sum(facets.health)]).toEqual([found.length, found.length])
  })

  it.each([
    ['version_lt', 'x'],
    ['tag_mode', 'most'],
    ['trusts_key', 'abc'],
    ['last_seen_before', 'yesterday'],
    ['quarantined', 'perhaps'],
    ['attr.', 'x'],
    ['colour', 'red'],
  ])('refuse %s=%s', async (field, value) => {
    const { status, error } = await api.call(contract.devices, { projectId }, { as: ann, query: { [field]: value } as never })
    expect([status, error.details[0]?.field]).toEqual([422, field])
  })

  it('follow a changed attribute, and leave out deleted devices and those of other projects', async () => {
    const found = async () => (await list({ 'attr.site': 'roof' })).devices.map(({ name }) => name)
    const elsewhere = await api.project({ ownerId: ann.id }, 'Elsewhere')
    await api.db
      .insert(devices)
      .values({ ...row(1, api.deps.clock()), id: ulid(), projectId: elsewhere, attributes: { site: 'roof' } })
    await api.db.execute(
      sql`update devices set attributes = '{"site":"roof"}' where name in ('Device 4', 'Device 5') and project_id = ${projectId}`,
    )
    expect(await found()).toEqual(['Device 4', 'Device 5'])
    await api.db.execute(sql`update devices set deleted_at = now() where name = 'Device 4' and project_id = ${projectId}`)
    expect(await found()).toEqual(['Device 5'])
    await api.db.execute(
      sql`update devices set deleted_at = null, attributes = '{}' where name in ('Device 4', 'Device 5') and project_id = ${projectId}`,
    )
    expect(await found()).toEqual([])
  })
})

describe('search', () => {
  it('finds by name and by serial number, whatever the case', async () => {
    expect((await list({ q: 'device 299' })).devices.map(({ name }) => name)).toEqual(['Device 299'])
    expect((await list({ q: 'sn-299' })).devices.map(({ name }) => name)).toEqual(['Device 299'])
  })

  it('treats wildcards as plain characters', async () => {
    expect((await list({ q: '%' })).total).toBe(0)
    expect((await list({ q: '_' })).total).toBe(0)
  })
})

it('refuses an unknown sort field and a cursor of another list', async () => {
  const bad = await api.call(contract.devices, { projectId }, { as: ann, query: { sort: 'notes' } })
  expect([bad.status, bad.error.details[0]?.field]).toEqual([422, 'sort'])
  const cursor = await api.call(contract.devices, { projectId }, { as: ann, query: { cursor: 'AAAA' } })
  expect([cursor.status, cursor.error.details[0]?.field]).toEqual([422, 'cursor'])
})

it('T-01: shows nothing to a user without access', async () => {
  const stranger = await api.person()
  const reply = await api.call(contract.devices, { projectId }, { as: stranger })
  expect(reply.status).toBe(404)
})

describe('after a review of the connectivities', () => {
  const orders = {
    connectivity: ['online', 'late', 'offline', 'never_seen'],
    health: ['critical', 'warning', 'unknown', 'healthy'],
  }
  const valueOf = ({ connectivity, health }: Device, by: keyof typeof orders) =>
    by === 'connectivity' ? connectivity : health.status

  it.each(['connectivity', 'health'] as const)('returns each device once and in order, sorted by %s', async (by) => {
    await maintainCounts(api.deps)
    // Some have moved since: by index they are found where they were.
    const moved = sql`name in ('Device 1', 'Device 2', 'Device 3', 'Device 8')`
    await api.db.execute(sql`update devices set last_seen_at = ${api.deps.clock().toISOString()} where ${moved}`)
    const seen = await walk({ sort: by })
    expect(new Set(seen.map(({ id }) => id)).size).toBe(COUNT)
    const ranks = seen.map((device) => orders[by].indexOf(valueOf(device, by)))
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b))
    const [first = ''] = orders[by]
    const alone = await walk({ [by]: first, sort: '-name' })
    expect(new Set(alone.map(({ id }) => id))).toEqual(
      new Set(seen.filter((device) => valueOf(device, by) === first).map(({ id }) => id)),
    )
  })
})

describe('deleted devices', () => {
  it('are listed by the time of deletion and found by text, and no longer among the others', async () => {
    await api.db.execute(sql`update devices set deleted_at = ${api.deps.clock().toISOString()} where name = 'Device 299'`)
    expect((await list({ deleted: 'true', sort: '-deleted_at', q: 'sn-299' })).devices.map(({ name }) => name)).toEqual([
      'Device 299',
    ])
    expect((await list({ q: 'sn-299' })).devices).toEqual([])
    await api.db.execute(sql`update devices set deleted_at = null, name = 'Renamed' where name = 'Device 299'`)
    expect((await list({ q: 'NAMED' })).devices.map(({ name }) => name)).toEqual(['Renamed'])
    expect((await list({ q: 'device 299' })).devices).toEqual([])
  })
})
