import type { Release } from '../../../../contract/updates/releases'
import type { RolloutDevice } from '../../../../contract/updates/rollouts'
import { formatCount } from '../../../lib/amounts'
import { formatBytes } from '../../../lib/bytes'

const namedAtMost = 5

/** "14: 12 from 2.4.0, 2 from 2.3.1", the most first, or "14 from 2.4.0"; devices that are not in the list, which has one page only, are counted. */
export const describeDevices = (
  devices: readonly Pick<RolloutDevice, 'from_version' | 'from_display_version'>[],
  total: number,
): string => {
  const froms = new Map<string, number>()
  for (const { from_version: version, from_display_version: display } of devices) {
    const from = version === null ? 'without a release' : `from ${display ?? `v${version}`}`
    froms.set(from, (froms.get(from) ?? 0) + 1)
  }
  const parts = [...froms].toSorted(([, a], [, b]) => b - a).map(([from, count]) => `${formatCount(count)} ${from}`)
  const others = total - devices.length
  const all = others > 0 ? [...parts, `${formatCount(others)} more`] : parts
  if (all.length === 1) return all.join()
  return all.length === 0 ? formatCount(total) : `${formatCount(total)}: ${all.join(', ')}`
}

/** "app.tar.gz (60 MB), run.sh (1.95 KB), 3 more"; what devices do not get is left out. */
export const describeFiles = ({ assets }: Pick<Release, 'assets'>): string => {
  const installed = assets.filter(({ kind }) => kind !== 'notes' && kind !== 'sbom')
  const named = installed.slice(0, namedAtMost).map(({ name, size }) => `${name} (${formatBytes(size)})`)
  const others = installed.length - named.length
  return [...named, ...(others > 0 ? [`${formatCount(others)} more`] : [])].join(', ') || 'None'
}
