import type { RolloutPreview } from '../../../../contract/updates/rollout-plans'
import { formatCount } from '../../../lib/amounts'

type Newer = RolloutPreview['newer'][number]

const higher = 'A release with a higher version reaches them.'

/** Which permission is missing, and what would update these devices. */
const reasons: Record<Newer['reason'], (installed: string, wanted: string) => string> = {
  rollout: (installed, wanted) =>
    `${installed} may return to ${wanted}, but this rollout does not allow downgrades. The full plan can allow them.`,
  not_listed: (installed, wanted) => `${installed} does not list ${wanted} as a version to return to. ${higher}`,
  signed_before: (installed) => `${installed} was signed before releases listed what they may return to. ${higher}`,
  unknown_release: (installed) => `${installed} is not a release of this project, so no return is allowed. ${higher}`,
}

const namesOf = ({ count, sample }: Newer) =>
  `${sample.map(({ name }) => name).join(', ')}${count > sample.length ? ` and ${formatCount(count - sample.length)} more` : ''}`

/** The devices left out because they run a newer version, by that version: how many, which, why, and what would update them. */
export const newerFacts = (newer: readonly Newer[], wanted: string) =>
  newer.map((one) => {
    const installed = one.display_version ?? `v${one.version}`
    return {
      key: `${one.version} ${one.reason} ${installed}`,
      label: `Of these, with ${installed}`,
      value: `${formatCount(one.count)} (${namesOf(one)}). ${reasons[one.reason](installed, wanted)}`,
    }
  })
