import type { RolloutPreview } from '../../../../contract/updates/rollout-plans'
import { formatCount } from '../../../lib/amounts'

type Sample = RolloutPreview['key_coverage']['missing']

/** The devices of a preview that trust none of the release's keys, left out or not. */
export const untrustingOf = ({ excluded, key_coverage }: RolloutPreview): { count: number; sample: Sample } => {
  const out = excluded.find(({ reason }) => reason === 'key_trusted')
  const { total, trusting, not_applicable, missing } = key_coverage
  return out ?? { count: total - trusting - not_applicable, sample: missing }
}

/** How many devices of a preview trust a key of the release, and how many verify with keys of their own. */
export const trustFacts = (preview: RolloutPreview): { label: string; value: string }[] => {
  const { trusting, not_applicable: byClient, total } = preview.key_coverage
  const asked = trusting + untrustingOf(preview).count
  return [
    ...(byClient < total || asked > 0
      ? [{ label: 'Trust the signing key', value: `${formatCount(trusting)} of ${formatCount(asked)}` }]
      : []),
    ...(byClient > 0 ? [{ label: 'Verified by their client', value: formatCount(byClient) }] : []),
  ]
}

/** "cam-0031 (never seen), gw-0412 and 3 more": a device that was never seen has not reported which keys it trusts. */
export const nameDevices = (sample: Sample, count: number): string => {
  const names = sample.map(({ name, never_seen }) => (never_seen ? `${name} (never seen)` : name)).join(', ')
  const more = count - sample.length
  return more > 0 ? `${names} and ${formatCount(more)} more` : names
}
