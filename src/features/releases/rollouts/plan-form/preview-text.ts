import type { RolloutPreview } from '../../../../../contract/updates/rollout-plans'
import { formatCount } from '../../../../lib/amounts'
import { pluralize } from '../../../../lib/pluralize'
import { readable } from '../../../../lib/status-display'

const texts: Partial<Record<string, string>> = {
  lifecycle_active: 'not active',
  updates_enabled: 'updates are off',
  not_quarantined: 'in quarantine',
  hardware_matches: 'incompatible hardware',
  not_already_installed: 'already installed',
  version_newer: 'newer version installed',
  min_version_met: 'installed version too old',
  rollback_number_ok: 'downgrade not allowed',
  key_trusted: 'does not trust the signing key',
}

/** The check that excludes a device, as a description of the device. */
export const describeExclusion = (reason: string): string => texts[reason] ?? readable(reason)

const sumOf = (rows: readonly { count: number }[]) => rows.reduce((sum, { count }) => sum + count, 0)

/** Why no device would get the release. */
export const describeEmpty = ({ excluded }: Pick<RolloutPreview, 'excluded'>): string => {
  const selected = sumOf(excluded)
  if (selected === 0) return 'No device of the project matches this selection.'
  const reasons = excluded.map(({ reason, count }) => `${formatCount(count)} ${describeExclusion(reason)}`)
  return `${pluralize(selected, 'selected device is', 'selected devices are')} left out: ${reasons.join(', ')}.`
}

/** A last wave that takes more devices than its count names, because it is the last. */
export const describeRest = ({ waves }: Pick<RolloutPreview, 'waves'>): string | undefined => {
  const last = waves.find((wave) => wave.asked_count !== null)
  if (last === undefined) return undefined
  return `Wave ${last.n} is the last one: it takes all devices that are left, ${formatCount(last.count)}, although the plan ends at ${formatCount(last.asked_count ?? 0)}.`
}

/** Paused devices are part of the rollout. */
export const describePaused = ({ count }: { count: number }): string =>
  `${formatCount(count)} (${count === 1 ? 'waits' : 'each waits'} until the end of its pause)`

/** "Wave 2", or "Wave 2 (3 of the plan)" where an empty one was left out before it. */
export const labelWave = ({ n, plan_wave: planWave }: Pick<RolloutPreview['waves'][number], 'n' | 'plan_wave'>): string =>
  planWave === n ? `Wave ${n}` : `Wave ${n} (${planWave} of the plan)`

/** What another open rollout does with the same devices. */
export const describeOverlap = ({ name, count }: Pick<RolloutPreview['overlaps'][number], 'name' | 'count'>): string =>
  `${pluralize(count, 'device waits or is updated', 'devices wait or are updated')} in ${name} too. Of two rollouts, a device gets the one with the higher priority first, or else the newer release.`

/** The waves of the plan without devices: they are merged into the next one. */
export const describeMerged = ({ waves }: Pick<RolloutPreview, 'waves'>, planned: number): string | undefined => {
  const empty = Array.from({ length: planned }, (_, n) => n + 1).filter((n) => !waves.some((wave) => wave.plan_wave === n))
  if (empty.length === 0 || waves.length === 0) return undefined
  const follow = waves.some(({ n, plan_wave: planWave }) => planWave !== n) ? ' The ones after move up.' : ''
  return `${empty.length === 1 ? 'Wave' : 'Waves'} ${empty.join(', ')} of the plan ${empty.length === 1 ? 'has' : 'have'} no devices and will be left out.${follow}`
}
