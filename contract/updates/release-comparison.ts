import type { ComponentDifference, ComponentFacts } from './components'
import type { Asset } from './release-assets'
import type { Release } from './releases'

export type FieldDifference = { field: string; before: string; after: string }
export type FileDifference = {
  /** The path on the device; for a file without one, its name. */
  path: string
  kind: Asset['kind']
  change: 'added' | 'removed' | 'changed' | 'same'
  before: Pick<Asset, 'size' | 'sha256' | 'mode'> | null
  after: Pick<Asset, 'size' | 'sha256' | 'mode'> | null
}
export type ReleaseComparison = {
  fields: FieldDifference[]
  files: FileDifference[]
  /** Bytes of all files. */
  size: { before: number; after: number }
}

const none = '–'
const list = (values: readonly (string | number)[] | null | undefined) =>
  values?.length ? [...values].toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)).join(', ') : none
const text = (value: string | number | null) => (value === null || value === '' ? none : String(value))
const hookName = (release: Release, id: string | null) =>
  id === null ? none : (release.assets.find((asset) => asset.id === id)?.name ?? none)

/** What devices see of a release, as text: its facts without name, notes and times. */
const fieldsOf = (release: Release): readonly [field: string, value: string][] => [
  ['Version', text(release.version)],
  ['Display version', text(release.display_version)],
  ['Type', text(release.type.replaceAll('_', ' '))],
  ['Hardware models', list(release.hardware_models)],
  ['Minimum installed version', text(release.min_installed_version)],
  ['Rollback version', text(release.rollback_version)],
  ['May be downgraded to from', list(release.allow_downgrade_from)],
  ['May return to', list(release.may_return_to)],
  ['Reboot', text(release.reboot.replaceAll('_', ' '))],
  ['Hook before installation', hookName(release, release.hooks.pre_install)],
  ['Hook after installation', hookName(release, release.hooks.post_install)],
  ['Hook after reboot', hookName(release, release.hooks.post_reboot)],
  ['Signed with', list(release.signatures.map(({ key_name: name }) => name))],
]

const pathOf = (asset: Asset) => asset.install_location ?? asset.name
const factsOf = (asset: Asset | undefined) => (asset ? { size: asset.size, sha256: asset.sha256, mode: asset.mode } : null)
const isSame = (before: Asset, after: Asset) =>
  before.sha256 !== null && before.sha256 === after.sha256 && before.mode === after.mode && before.kind === after.kind
const sizeOf = ({ assets }: Release) => assets.reduce((sum, { size }) => sum + size, 0)
/** Changes first, then by path. */
const order = ['changed', 'added', 'removed', 'same'] as const

/** What changes on a device that goes from the release `before` to the release `after`. */
export const compareReleases = (before: Release, after: Release): ReleaseComparison => {
  const earlier = new Map(before.assets.map((asset) => [pathOf(asset), asset]))
  const later = new Map(after.assets.map((asset) => [pathOf(asset), asset]))
  const files = [...new Set([...earlier.keys(), ...later.keys()])].flatMap((path): FileDifference[] => {
    const old = earlier.get(path)
    const fresh = later.get(path)
    const asset = fresh ?? old
    if (!asset) return []
    const change = !old ? 'added' : !fresh ? 'removed' : isSame(old, fresh) ? 'same' : 'changed'
    return [{ path, kind: asset.kind, change, before: factsOf(old), after: factsOf(fresh) }]
  })
  const valuesBefore = fieldsOf(before)
  return {
    fields: fieldsOf(after).flatMap(([field, value], index) => {
      const old = valuesBefore[index]?.[1] ?? none
      return old === value ? [] : [{ field, before: old, after: value }]
    }),
    files: files.toSorted(
      (a, b) => order.indexOf(a.change) - order.indexOf(b.change) || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0),
    ),
    size: { before: sizeOf(before), after: sizeOf(after) },
  }
}

/** What stays the same of a component when its version changes: its package URL up to the version, or else its name. */
const identityOf = ({ name, purl }: ComponentFacts) => {
  if (purl === null) return name
  const end = purl.search(/[?#]/)
  const path = end < 0 ? purl : purl.slice(0, end)
  const at = path.lastIndexOf('@')
  return at > path.lastIndexOf('/') ? path.slice(0, at) : path
}
const groupByIdentity = (components: readonly ComponentFacts[]) => {
  const groups = new Map<string, ComponentFacts[]>()
  for (const component of components) {
    const identity = identityOf(component)
    const group = groups.get(identity)
    if (group) group.push(component)
    else groups.set(identity, [component])
  }
  return groups
}
const without = (components: readonly ComponentFacts[], others: readonly ComponentFacts[]) => {
  const versions = new Set(others.map(({ version }) => version))
  return components.filter(({ version }) => {
    if (versions.has(version)) return false
    // The same package may be listed several times, as for each place where it is.
    versions.add(version)
    return true
  })
}
const nameOf = ({ before, after }: ComponentDifference) => (after ?? before)?.name ?? ''

/**
 * The components that a release adds, removes, or has in another version; changes first, then by name. The same component in
 * several versions, as with bundled packages, is compared version by version.
 */
export const compareComponents = (before: readonly ComponentFacts[], after: readonly ComponentFacts[]): ComponentDifference[] => {
  const [old, fresh] = [groupByIdentity(before), groupByIdentity(after)]
  const differences = [...new Set([...old.keys(), ...fresh.keys()])].flatMap((identity): ComponentDifference[] => {
    const gone = without(old.get(identity) ?? [], fresh.get(identity) ?? [])
    const added = without(fresh.get(identity) ?? [], old.get(identity) ?? [])
    const pairs = Math.min(gone.length, added.length)
    return [
      ...added.slice(0, pairs).map((component, n) => ({ change: 'changed' as const, before: gone[n] ?? null, after: component })),
      ...added.slice(pairs).map((component) => ({ change: 'added' as const, before: null, after: component })),
      ...gone.slice(pairs).map((component) => ({ change: 'removed' as const, before: component, after: null })),
    ]
  })
  return differences.toSorted(
    (a, b) => order.indexOf(a.change) - order.indexOf(b.change) || (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : 0),
  )
}
