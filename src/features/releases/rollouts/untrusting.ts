import type { RolloutPreview } from '../../../../contract/rollout-plans'
import { formatCount } from '../../../lib/amounts'

type Sample = RolloutPreview['key_coverage']['missing']

/** The devices of a preview that trust none of the release's keys, left out or not. */
export const untrustingOf = ({ excluded, key_coverage }: RolloutPreview): { count: number; sample: Sample } => {
  const out = excluded.find(({ reason }) => reason === 'key_trusted')
  return out ?? { count: key_coverage.total - key_coverage.trusting, sample: key_coverage.missing }
}

/** "cam-0031 (never seen), gw-0412 and 3 more": a device that was never seen has not reported which keys it trusts. */
export const nameDevices = (sample: Sample, count: number): string => {
  const names = sample.map(({ name, never_seen }) => (never_seen ? `${name} (never seen)` : name)).join(', ')
  const more = count - sample.length
  return more > 0 ? `${names} and ${formatCount(more)} more` : names
}
