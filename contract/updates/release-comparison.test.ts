import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Asset } from './release-assets'
import type { ComponentFacts } from './components'
import { compareComponents, compareReleases } from './release-comparison'
import type { Release } from './releases'

const at = '2026-01-05T10:00:00.000Z'
const entity = { created_at: at, updated_at: at, revision: 1 }
const hash = (digit: string) => digit.repeat(64)

const file = (name: string, changes: Partial<Asset> = {}): Asset => ({
  ...entity,
  id: name,
  release_id: 'r',
  name,
  kind: 'payload',
  size: 100,
  sha256: hash('a'),
  content_type: 'application/octet-stream',
  install_location: `/opt/app/${name}`,
  mode: '0644',
  state: 'ready',
  reject_reason: null,
  download_count: 0,
  ...changes,
})

const release = (changes: Partial<Release> = {}): Release => ({
  ...entity,
  id: 'r',
  project_id: 'p',
  created_by: null,
  name: 'Gateway',
  version: 1,
  display_version: null,
  type: 'file',
  description: '',
  notes: '',
  hardware_models: ['gw-2', 'gw-1'],
  min_installed_version: null,
  rollback_version: null,
  may_return_to: [3, 20],
  hooks: { pre_install: null, post_install: null, post_reboot: null },
  reboot: 'never',
  assets: [],
  manifest: null,
  signatures: [],
  state: 'ready',
  state_reason: null,
  warnings: [],
  active_devices: 0,
  rollout_summary: null,
  ...changes,
})

it('names the fields that differ, before and after, with lists in order', () => {
  const before = release({ hardware_models: ['gw-1', 'gw-2'] })
  const hook = file('check.sh', { id: 'h', kind: 'hook', install_location: null })
  const after = release({
    version: 2,
    display_version: '2.0.0',
    may_return_to: [20, 3, 100],
    reboot: 'after_install',
    assets: [hook],
    hooks: { pre_install: 'h', post_install: null, post_reboot: null },
  })
  expect(compareReleases(before, after).fields).toEqual([
    { field: 'Version', before: '1', after: '2' },
    { field: 'Display version', before: '–', after: '2.0.0' },
    { field: 'May return to', before: '3, 20', after: '3, 20, 100' },
    { field: 'Reboot', before: 'never', after: 'after install' },
    { field: 'Hook before installation', before: '–', after: 'check.sh' },
  ])
})

it('pairs files by their path on the device, and lists changed, added, removed and unchanged ones in this order', () => {
  const before = release({ assets: [file('keep'), file('gone'), file('app', { name: 'app-1.bin' }), file('mode')] })
  const after = release({
    assets: [
      file('keep'),
      file('new', { size: 7 }),
      file('app', { name: 'app-2.bin', sha256: hash('b'), size: 300 }),
      file('mode', { mode: '0755' }),
    ],
  })
  const { files, size } = compareReleases(before, after)
  expect(files.map(({ path, change }) => [path, change])).toEqual([
    ['/opt/app/app', 'changed'],
    ['/opt/app/mode', 'changed'],
    ['/opt/app/new', 'added'],
    ['/opt/app/gone', 'removed'],
    ['/opt/app/keep', 'same'],
  ])
  expect(files[0]).toMatchObject({ before: { size: 100, sha256: hash('a') }, after: { size: 300, sha256: hash('b') } })
  expect(size).toEqual({ before: 400, after: 507 })
})

it('a file whose bytes are not known yet counts as changed', () => {
  const one = release({ assets: [file('app', { sha256: null, state: 'expected' })] })
  expect(compareReleases(one, one).files.map(({ change }) => change)).toEqual(['changed'])
})

const anyFile = fc
  .record({ name: fc.constantFrom('a', 'b', 'c', 'd'), sha256: fc.constantFrom(hash('a'), hash('b')), size: fc.nat(9) })
  .map(({ name, ...rest }) => file(name, rest))
const anyRelease = fc
  .record({
    version: fc.nat(3),
    assets: fc.uniqueArray(anyFile, { selector: ({ name }) => name }),
    hardware_models: fc.uniqueArray(fc.constantFrom('x', 'y', 'z')),
  })
  .map((changes) => release(changes))

it('the comparison in the other direction is the same with before and after exchanged', () => {
  const opposite = { added: 'removed', removed: 'added', changed: 'changed', same: 'same' } as const
  const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1)
  fc.assert(
    fc.property(anyRelease, anyRelease, (one, other) => {
      const there = compareReleases(one, other)
      const back = compareReleases(other, one)
      expect(back.fields).toEqual(there.fields.map(({ field, before, after }) => ({ field, before: after, after: before })))
      expect(back.files.map(({ path, change }) => ({ path, change })).toSorted(byPath)).toEqual(
        there.files.map(({ path, change }) => ({ path, change: opposite[change] })).toSorted(byPath),
      )
    }),
    { seed: 7, numRuns: 200 },
  )
})

const component = (name: string, version: string | null, purl: string | null = null): ComponentFacts => ({
  name,
  version,
  purl,
  licence: null,
  hash: null,
  supplier: null,
})
const briefly = (before: ComponentFacts[], after: ComponentFacts[]) =>
  compareComponents(before, after).map((one) => [
    one.change,
    one.after?.name ?? one.before?.name,
    one.before?.version,
    one.after?.version,
  ])

it('a component in another version is one change, by its package URL or else by its name', () => {
  const before = [
    component('openssl', '3.0', 'pkg:deb/debian/openssl@3.0?arch=arm64'),
    component('busybox', '1.36'),
    component('gone', '1'),
  ]
  const after = [
    component('OpenSSL', '3.1', 'pkg:deb/debian/openssl@3.1?arch=arm64'),
    component('busybox', '1.37'),
    component('new', null),
  ]
  expect(briefly(before, after)).toEqual([
    ['changed', 'OpenSSL', '3.0', '3.1'],
    ['changed', 'busybox', '1.36', '1.37'],
    ['added', 'new', undefined, null],
    ['removed', 'gone', '1', undefined],
  ])
})

it('packages of one name in different scopes are different components', () => {
  const scoped = (scope: string) => component('core', '1.0.0', `pkg:npm/${scope}/core@1.0.0`)
  expect(briefly([scoped('@a'), scoped('%40b')], [scoped('@a')])).toEqual([['removed', 'core', '1.0.0', undefined]])
})

it('a component that is bundled in several versions is compared version by version', () => {
  const versions = (...all: string[]) => all.map((version) => component('semver', version))
  expect(briefly(versions('5', '6', '7'), versions('6', '7', '8', '9'))).toEqual([
    ['changed', 'semver', '5', '8'],
    ['added', 'semver', undefined, '9'],
  ])
  expect(briefly(versions('5', '6'), versions('6', '5'))).toEqual([])
})

it('a package that is listed twice is one package, before and after', () => {
  const listed = (version: string, times: number) => Array.from({ length: times }, () => component('zlib', version))
  expect(briefly([...listed('1.2', 2), component('gone', '1'), component('gone', '1')], listed('1.3', 1))).toEqual([
    ['changed', 'zlib', '1.2', '1.3'],
    ['removed', 'gone', '1', undefined],
  ])
  expect(briefly(listed('1.2', 1), [...listed('1.2', 3), ...listed('1.3', 2)])).toEqual([['added', 'zlib', undefined, '1.3']])
})

it('a package URL of signs that separate nothing is its own identity', () => {
  const odd = component('a', '1', `pkg:generic/${'@'.repeat(1000)}/a`)
  expect(briefly([odd], [{ ...odd, version: '2' }])).toEqual([['changed', 'a', '1', '2']])
})
