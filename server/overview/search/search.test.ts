import { eq, sql } from 'drizzle-orm'
import { ulid } from 'ulid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { searchEverywhere, searchLimit, searchProject } from '../../../contract/overview/search'
import { devices as listDevices } from '../../../contract/fleet/devices'
import { releases as listReleases } from '../../../contract/updates/releases'
import { previewRollout } from '../../../contract/updates/rollout-plans'
import { tags as listTags } from '../../../contract/fleet/tags'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import type { Person } from '../../../tests/support/people'
import { organizations } from '../../accounts/schema/organizations'
import { devices } from '../../fleet/schema/devices'
import { releases } from '../../updates/schema/releases'
import { createReleaseFixture } from '../../../tests/support/release-fixture'
import { tags } from '../../fleet/schema/tags'

let api: TestApi
let ann: Person
let projectId: string

const device = (name: string, rest: Partial<typeof devices.$inferInsert> = {}): typeof devices.$inferInsert => {
  const now = api.deps.clock()
  const entity = { id: ulid(), createdAt: now, updatedAt: now }
  return { ...entity, projectId, name, hardwareModel: 'gw', lifecycle: 'active', enrollment: 'group', ...rest }
}
const release = (name: string, version: number, displayVersion: string): typeof releases.$inferInsert => {
  const now = api.deps.clock()
  const hooks = { pre_install: null, post_install: null, post_reboot: null }
  const entity = { id: ulid(), createdAt: now, updatedAt: now, projectId }
  return {
    ...entity,
    name,
    version,
    displayVersion,
    type: 'file',
    hardwareModels: ['gw'],
    hooks,
    reboot: 'never',
    state: 'draft',
  }
}

beforeAll(async () => {
  api = await createTestApi()
  ann = await api.person()
  projectId = await api.project({ ownerId: ann.id })
  const elsewhere = await api.project({ ownerId: (await api.person()).id })
  await api.db
    .insert(devices)
    .values([
      device('gw-0433-ridge', { lastSeenAt: api.deps.clock(), installedVersion: 20401, installedDisplayVersion: '2.4.1' }),
      device('0433-first'),
      device('mill', { serialNumber: 'SN-0433' }),
      device('gone-0433', { deletedAt: api.deps.clock() }),
      device('far-0433', { projectId: elsewhere }),
      ...Array.from({ length: 30 }, (_, n) => device(`crowd-${n}`)),
    ])
  await api.db
    .insert(releases)
    .values([release('Gateway', 20500, '2.5.0'), ...Array.from({ length: 30 }, (_, n) => release(`Crowd ${n}`, n + 1, `0.${n}`))])
})
afterAll(() => api.close())

const hits = async (q: string, as: Person = ann) => {
  const { status, body, text } = await api.call(searchProject, { projectId }, { as, query: { q } })
  expect(status, text).toBe(200)
  return body.hits
}
const named = async (q: string) => (await hits(q)).map(({ name }) => name)

describe('search of a project', () => {
  it('finds devices that are not deleted by name and serial number, matches at the beginning first', async () => {
    expect(await named('0433')).toEqual(['0433-first', 'gw-0433-ridge', 'mill'])
    expect(await named('sn-04')).toEqual(['mill'])
  })

  it('returns connectivity and installed version of a device', async () => {
    expect(await hits('ridge')).toMatchObject([{ kind: 'device', connectivity: 'online', version: '2.4.1' }])
    expect(await hits('mill')).toMatchObject([{ connectivity: 'never_seen', version: null, last_seen_at: null }])
  })

  it('finds releases by name, version name and number', async () => {
    for (const q of ['gatew', '2.5.0', '20500']) expect(await named(q), q).toEqual(['Gateway'])
  })

  it('returns at most 20, with room for both kinds', async () => {
    const found = await hits('crowd')
    expect(found).toHaveLength(searchLimit)
    expect(found.filter(({ kind }) => kind === 'device')).toHaveLength(searchLimit / 2)
  })

  it('treats wildcards as plain characters', async () => {
    expect(await hits('%')).toEqual([])
    expect(await hits('_')).toEqual([])
  })

  it('requires a search text', async () => {
    const { status, error } = await api.call(searchProject, { projectId }, { as: ann, query: { q: ' ' } })
    expect([status, error.details[0]?.field]).toEqual([422, 'q'])
  })
})

describe('search everywhere', () => {
  const found = async (as: Person, q: string, rest: { except_project_id?: string } = {}) => {
    const { status, body, text } = await api.call(searchEverywhere, {}, { as, query: { q, ...rest } })
    expect(status, text).toBe(200)
    return body.hits
  }
  const names = (hits: Awaited<ReturnType<typeof found>>) => hits.map(({ hit, project }) => `${project.name}: ${hit.name}`)

  it('finds what the caller may see in each project, and says where it is', async () => {
    const bea = await api.person()
    const organization = await api.organization(bea, 'Hedge')
    const mill = await api.project({ organizationId: organization.id }, 'Mill')
    const barn = await api.project({ ownerId: bea.id }, 'Barn 77')
    await api.db.insert(devices).values([
      { ...device('pump-77'), projectId: mill },
      { ...device('77-door'), projectId: barn },
      { ...device('gone-77', { deletedAt: api.deps.clock() }), projectId: barn },
      { ...device('pump-78'), projectId: barn },
    ])
    await api.db.insert(releases).values([{ ...release('Autumn', 77, '1'), projectId: mill }])
    const all = await found(bea, '77')
    expect(names(all)).toEqual(['Barn 77: Barn 77', 'Barn 77: 77-door', 'Mill: pump-77', 'Mill: Autumn'])
    expect(all[2]?.project.organization).toEqual({ public_id: organization.publicId, name: 'Hedge' })
    expect(all[0]?.project.organization).toBeNull()
    expect(names(await found(bea, '77', { except_project_id: barn }))).toEqual(['Mill: pump-77', 'Mill: Autumn'])
    // Other people's projects stay hidden, even by the id of one of them.
    expect(names(await found(ann, '77'))).toEqual([])
    expect(names(await found(bea, '0433'))).toEqual([])
  })

  it('hides projects from a role without project:view, and the projects of an organization that asks for a second factor', async () => {
    const bea = await api.person()
    const { id } = await api.organization(bea)
    const billing = await api.member(id, 'billing')
    const mill = await api.project({ organizationId: id }, 'Mill 91')
    await api.db.insert(devices).values([{ ...device('pump-91'), projectId: mill }])
    expect(names(await found(bea, '91'))).toEqual(['Mill 91: Mill 91', 'Mill 91: pump-91'])
    expect(names(await found(billing, '91'))).toEqual([])
    await api.db
      .update(organizations)
      .set({ settings: sql`${organizations.settings} || '{"require_mfa": true}'::jsonb` })
      .where(eq(organizations.id, id))
    expect(names(await found(bea, '91'))).toEqual([])
  })

  it('gives each kind an equal share of 20 results, and to the others what one leaves', async () => {
    const kinds = (await found(ann, 'crowd')).map(({ hit }) => hit.kind)
    expect(kinds).toHaveLength(searchLimit)
    expect(kinds.filter((kind) => kind === 'device')).toHaveLength(searchLimit / 2)
  })
})

describe('a text in letters of another case', () => {
  it.each([
    ['МОСКВА', 'Москва 1', 1],
    ['москва', 'Москва 1', 1],
    ['STRASSE 7', 'Straße 7', 1],
    ['öL', 'ÖL-Pumpe', 1],
    ['ol-', 'ÖL-Pumpe', 0],
  ])('%s finds %s in lists, in the search and as a target: %i', async (q, name, count) => {
    const own = await api.project({ ownerId: ann.id }, ulid())
    const maker = await createReleaseFixture(api, ann, own)
    const { id: releaseId } = await maker.signed({ version: 1, bytes: Buffer.from(name) })
    await api.db.update(releases).set({ name }).where(eq(releases.id, releaseId))
    await api.db.insert(devices).values([device(name, { projectId: own }), device('Aachen', { projectId: own })])
    const at = api.deps.clock()
    await api.db.insert(tags).values({ id: ulid(), createdAt: at, updatedAt: at, projectId: own, name, colour: 'moss' })
    const asked = { as: ann, query: { q } }
    const target = { as: ann, body: { target: { query: q } } }
    const { total, excluded } = (await api.call(previewRollout, { releaseId }, target)).body
    const found = {
      devices: (await api.call(listDevices, { projectId: own }, asked)).body.total,
      hits: (await api.call(searchProject, { projectId: own }, asked)).body.hits.length,
      releases: (await api.call(listReleases, { projectId: own }, asked)).body.total,
      tags: (await api.call(listTags, { projectId: own }, asked)).body.total,
      target: excluded.reduce((sum, one) => sum + one.count, total),
    }
    expect(found).toEqual({ devices: count, hits: 2 * count, releases: count, tags: count, target: count })
  })

  it('a list by name continues behind a name whose first letter the database leaves in upper case', async () => {
    const own = await api.project({ ownerId: ann.id }, ulid())
    const rows = ['Zoo', 'Öl', 'Über', 'ärmel'].map((name, n) => ({ ...release(name, n + 1, `1.${n}`), projectId: own }))
    await api.db.insert(releases).values(rows)
    const seen: string[] = []
    for (let cursor: string | null | undefined; cursor !== null;) {
      const query = { sort: 'name', limit: 1, ...(cursor !== undefined && { cursor }) }
      const { body } = await api.call(listReleases, { projectId: own }, { as: ann, query })
      seen.push(...body.releases.map(({ name }) => name))
      cursor = body.next_cursor
    }
    expect(seen.toSorted()).toEqual(['Zoo', 'Öl', 'Über', 'ärmel'].toSorted())
  })
})
