import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import * as contract from '../../../../contract/updates/components'
import { createAsset, deleteAsset, updateAsset } from '../../../../contract/updates/release-assets'
import { createRelease, release as readRelease } from '../../../../contract/updates/releases'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import { fleet } from '../../../../tests/support/fleet'
import type { Person } from '../../../../tests/support/people'
import { uploadFile } from '../../../../tests/support/upload-file'
import { components } from '../../schema/components'
import { readSboms } from './read-sboms'

let api: TestApi
let ines: Person
beforeAll(async () => {
  api = await createTestApi()
  ines = await api.person()
})
afterAll(() => api.close())

type Found = { name: string; group?: string; publisher?: string; version?: string; purl?: string; licenses?: object[] }
const cyclonedx = (found: readonly Found[]) =>
  Buffer.from(JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', components: found }))

const newProject = (name: string) => api.project({ ownerId: ines.id }, name)

/** A draft with an SBOM of these bytes, which has been read. */
const draftWith = async (projectId: string, version: number, bytes: Buffer) => {
  const body = { name: `Firmware ${version}`, version, type: 'file' as const, hardware_models: ['gw'] }
  const { body: release } = await api.call(createRelease, { projectId }, { as: ines, body })
  const file = { name: 'bom.json', kind: 'sbom' as const, size: bytes.length }
  const asset = await api.call(createAsset, { releaseId: release.id }, { as: ines, body: file })
  expect(asset.status, asset.text).toBe(201)
  await uploadFile(api, ines, asset.body.id, bytes)
  await readSboms(api.deps)
  return { releaseId: release.id, assetId: asset.body.id }
}
const sbomsOf = async (releaseId: string) => (await api.call(contract.releaseSboms, { releaseId }, { as: ines })).body.sboms

const openssl = {
  name: 'openssl',
  version: '3.0.13',
  purl: 'pkg:generic/openssl@3.0.13',
  licenses: [{ license: { id: 'Apache-2.0' } }],
}

it('the components of a release are listed by name, page by page, and filtered', async () => {
  const projectId = await newProject('Listed')
  const many = Array.from({ length: 120 }, (_, n) => ({ name: `lib-${String(n).padStart(3, '0')}` }))
  const { releaseId } = await draftWith(projectId, 1, cyclonedx([openssl, { name: 'Zlib', version: '1.3' }, ...many]))
  expect(await sbomsOf(releaseId)).toEqual([
    expect.objectContaining({
      name: 'bom.json',
      state: 'read',
      format: 'cyclonedx',
      format_version: '1.6',
      component_count: 122,
    }),
  ])
  const names: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const query: { limit: number; cursor?: string } = { limit: 50, ...(cursor !== '' && { cursor }) }
    const { body } = await api.call(contract.releaseComponents, { releaseId }, { as: ines, query })
    expect(body.total).toBe(122)
    names.push(...body.components.map(({ name }) => name))
    cursor = body.next_cursor
  }
  // Upper and lower case do not matter for the order.
  expect(names).toEqual([...many.map(({ name }) => name), 'openssl', 'Zlib'])
  const { body } = await api.call(contract.releaseComponents, { releaseId }, { as: ines, query: { q: 'SSL' } })
  expect(body).toMatchObject({ total: 1, components: [{ name: 'openssl', version: '3.0.13', licence: 'Apache-2.0' }] })
})

const packages = ['debug 4.3.4 MIT', 'lru-cache 6.0.0 ISC', 'ms 2.1.3 MIT', 'semver 7.6.0 ISC', 'yallist 4.0.0 ISC']
// Of one package with four dependencies, as the tools wrote them. npm lists a second copy of ms inside debug, and has the scope in the name.
it.each([
  ['`npm sbom` as CycloneDX', 'npm-cyclonedx.json', ['cyclonedx', '1.5'], ['@types/ms 2.1.0 MIT', 'ms 2.1.2 MIT'], 'sha512:'],
  [
    '`npm sbom` as SPDX',
    'npm-spdx.json',
    ['spdx', '2.3'],
    ['@types/ms 2.1.0 MIT', 'gateway-ui 2.4.1 Apache-2.0', 'ms 2.1.2 MIT'],
    'sha512:',
  ],
  ['`cyclonedx-npm`', 'cyclonedx-npm.json', ['cyclonedx', '1.6'], ['@types/ms 2.1.0 MIT', 'ms 2.1.2 MIT'], null],
])('the SBOM of %s is read whole, stored and answered', async (what, file, [format, version], more, hash) => {
  const bytes = await readFile(join(import.meta.dirname, 'samples', file))
  const { releaseId } = await draftWith(await newProject(`Of ${what}`), 1, bytes)
  const expected = [...packages, ...more].toSorted()
  expect(await sbomsOf(releaseId)).toEqual([
    expect.objectContaining({
      state: 'read',
      format,
      format_version: version,
      component_count: expected.length,
      problem: null,
      note_count: 0,
    }),
  ])
  const { body } = await api.call(contract.releaseComponents, { releaseId }, { as: ines })
  expect(body.components.map((one) => `${one.name} ${one.version} ${one.licence}`).toSorted()).toEqual(expected)
  for (const one of body.components) {
    expect(one.purl).toBe(`pkg:npm/${one.name.replace('@', '%40')}@${one.version}`)
    if (one.name !== 'gateway-ui') expect(one.hash?.slice(0, 7) ?? null).toBe(hash)
  }
})

it('a file that is refused says which field breaks which rule, and lists nothing', async () => {
  const bytes = Buffer.from(JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.7', components: [openssl] }))
  const { releaseId } = await draftWith(await newProject('Refused'), 1, bytes)
  const problem = { field: 'specVersion', rule: 'CycloneDX 1.7: versions 1.2 to 1.6 are read' }
  expect(await sbomsOf(releaseId)).toEqual([
    expect.objectContaining({ state: 'refused', format: null, component_count: 0, problem, notes: [], note_count: 0 }),
  ])
  const { body } = await api.call(contract.releaseComponents, { releaseId }, { as: ines })
  expect(body).toEqual({ components: [], next_cursor: null, total: 0 })
})

it('fields that were cut or left out are named with the file, and the other components are listed', async () => {
  const licenses = [{ license: { name: 'L'.repeat(2923) } }]
  const odd = [{ ...openssl, licenses }, { version: '1' }, ...Array.from({ length: 30 }, () => ({ name: 7 }))]
  const { releaseId } = await draftWith(await newProject('Odd'), 1, cyclonedx(odd as Found[]))
  const [sbom] = await sbomsOf(releaseId)
  expect(sbom).toMatchObject({ state: 'read', component_count: 1, problem: null, note_count: 62 })
  expect(sbom?.notes).toHaveLength(contract.sbomLimits.notes)
  expect(sbom?.notes.slice(0, 2)).toEqual([
    { field: 'components.0.licenses.0.license.name', rule: 'Longer than 1,024 characters: cut' },
    { field: 'components.1.name', rule: 'No name: the component is left out' },
  ])
  const { body } = await api.call(contract.releaseComponents, { releaseId }, { as: ines })
  expect(body.components.map(({ name, licence }) => [name, licence])).toEqual([['openssl', 'L'.repeat(1024)]])
})

it('a search names the releases that contain a component, and counts the devices that run them', async () => {
  const projectId = await newProject('Searched')
  const old = await draftWith(projectId, 1, cyclonedx([openssl, { name: 'busybox', version: '1.36.1' }]))
  const fresh = await draftWith(projectId, 2, cyclonedx([{ ...openssl, version: '3.0.15' }]))
  await draftWith(await newProject('Another'), 1, cyclonedx([openssl]))
  await fleet(api, projectId).add({ count: 3, version: 1, releaseId: old.releaseId, trustedKeys: [] })
  const search = async (query: { q?: string; version?: string }) => {
    const { body } = await api.call(contract.findComponents, { projectId }, { as: ines, query })
    return body.components.map(({ version, release, devices }) => [version, release.id, devices])
  }
  expect(await search({ q: 'openssl' })).toEqual([
    ['3.0.13', old.releaseId, 3],
    ['3.0.15', fresh.releaseId, 0],
  ])
  expect(await search({ q: 'ssl', version: '3.0.15' })).toEqual([['3.0.15', fresh.releaseId, 0]])
  expect(await search({ version: '1.36.1' })).toEqual([['1.36.1', old.releaseId, 3]])
  expect(await search({ q: '%' })).toEqual([])
})

it('a comparison lists what a release adds, removes and changes', async () => {
  const projectId = await newProject('Compared')
  const before = await draftWith(
    projectId,
    1,
    cyclonedx([openssl, { name: 'telnetd', version: '1' }, { name: 'same', version: '1' }]),
  )
  const next = { ...openssl, version: '3.0.15', purl: 'pkg:generic/openssl@3.0.15' }
  const after = await draftWith(
    projectId,
    2,
    cyclonedx([next, { name: 'same', version: '1' }, { name: 'dropbear', version: '2024.86' }]),
  )
  const params = { releaseId: after.releaseId }
  const { body } = await api.call(contract.componentDifferences, params, { as: ines, query: { before: before.releaseId } })
  expect(body.total).toEqual({ before: 3, after: 3 })
  expect(body.counts).toEqual({ added: 1, removed: 1, changed: 1 })
  expect(body.differences.map((one) => [one.change, one.before?.version, one.after?.version])).toEqual([
    ['changed', '3.0.13', '3.0.15'],
    ['added', undefined, '2024.86'],
    ['removed', '1', undefined],
  ])
  const foreign = await draftWith(await newProject('Foreign'), 1, cyclonedx([]))
  const refused = await api.call(contract.componentDifferences, params, { as: ines, query: { before: foreign.releaseId } })
  expect(refused.status).toBe(404)
})

it('the longest texts that are accepted can be stored', async () => {
  const projectId = await newProject('Long')
  const letters = (count: number) =>
    Array.from({ length: count }, (_, n) => String.fromCodePoint(0x20000 + ((n * 7919) % 40_000))).join('')
  const longest = { group: letters(255), name: letters(256), version: letters(256), publisher: letters(256) }
  const { releaseId } = await draftWith(projectId, 1, cyclonedx([longest]))
  expect((await sbomsOf(releaseId)).map(({ state, component_count }) => [state, component_count])).toEqual([['read', 1]])
})

it('the components of a file go with it, and with its kind', async () => {
  const projectId = await newProject('Gone')
  const count = async () => (await api.db.select().from(components).where(eq(components.projectId, projectId))).length
  const first = await draftWith(projectId, 1, cyclonedx([openssl]))
  const second = await draftWith(projectId, 2, cyclonedx([openssl]))
  expect(await count()).toBe(2)
  await api.call(deleteAsset, first, { as: ines })
  expect(await count()).toBe(1)
  const { body: release } = await api.call(readRelease, { releaseId: second.releaseId }, { as: ines })
  const headers = { 'if-match': `"${release.assets[0]?.revision}"` }
  const changed = await api.call(updateAsset, second, { as: ines, body: { kind: 'notes' }, headers })
  expect(changed.status, changed.text).toBe(200)
  await readSboms(api.deps)
  expect(await count()).toBe(0)
})

it('a file whose bytes cannot be read now is read by a later run', async () => {
  const projectId = await newProject('Later')
  const { storage } = api.deps
  api.deps.storage = { ...storage, read: () => Promise.reject(new Error('away')) }
  const { releaseId } = await draftWith(projectId, 1, cyclonedx([openssl]))
  expect((await sbomsOf(releaseId)).map(({ state }) => state)).toEqual(['waiting'])
  api.deps.storage = storage
  await readSboms(api.deps)
  expect((await sbomsOf(releaseId)).map(({ state }) => state)).toEqual(['read'])
})
