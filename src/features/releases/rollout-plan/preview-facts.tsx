import { css } from 'styled-system/css'
import type { Release } from '../../../../contract/releases'
import type { RolloutPreview } from '../../../../contract/rollout-plans'
import { formatCount } from '../../../lib/amounts'
import { formatBytes } from '../../../lib/bytes'
import { pluralize } from '../../../lib/pluralize'
import { Pairs } from '../../../ui/facts'
import { Callout } from '../../../ui/notice'
import { newerFacts } from '../newer-devices'
import { untrustingOf } from '../untrusting'
import { describeExclusion } from './exclusion-text'

const stack = css({ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: '12' })

const sumOf = (rows: readonly { count: number }[]) => rows.reduce((sum, { count }) => sum + count, 0)

/** Why no device would get the release. */
export const describeEmpty = ({ excluded }: Pick<RolloutPreview, 'excluded'>): string => {
  const selected = sumOf(excluded)
  if (selected === 0) return 'No device of the project matches this selection.'
  const reasons = excluded.map(({ reason, count }) => `${formatCount(count)} ${describeExclusion(reason)}`)
  return `${pluralize(selected, 'selected device is', 'selected devices are')} left out: ${reasons.join(', ')}.`
}

/** The waves of the plan without devices: they are merged into the next one. */
export const describeMerged = ({ waves }: Pick<RolloutPreview, 'waves'>, planned: number): string | undefined => {
  const empty = Array.from({ length: planned }, (_, n) => n + 1).filter((n) => !waves.some((wave) => wave.plan_wave === n))
  if (empty.length === 0 || waves.length === 0) return undefined
  return `${empty.length === 1 ? 'Wave' : 'Waves'} ${empty.join(', ')} of the plan ${empty.length === 1 ? 'has' : 'have'} no devices and will be left out.`
}

type Props = { preview: RolloutPreview; release: Release; planned: number }

/** The counts of a preview. */
export const PreviewFacts = ({ preview, release, planned }: Props) => {
  const { total, waves, excluded, key_coverage: coverage } = preview
  const merged = describeMerged(preview, planned)
  return (
    <div className={stack}>
      {total === 0 && <Callout kind="warning">{describeEmpty(preview)}</Callout>}
      <Pairs
        wide
        facts={[
          { label: 'Devices', value: formatCount(total) },
          ...waves.map(({ n, count, sample }) => ({
            label: `Wave ${n}`,
            value: `${formatCount(count)} (${sample.map(({ name }) => name).join(', ')}${count > sample.length ? ', …' : ''})`,
          })),
          {
            label: 'Trust the signing key',
            value: `${formatCount(coverage.trusting)} of ${formatCount(coverage.trusting + untrustingOf(preview).count)}`,
          },
          { label: 'To download', value: formatBytes(preview.size_bytes_total) },
          ...excluded.map(({ reason, count }) => ({
            label: `Left out: ${describeExclusion(reason)}`,
            value: formatCount(count),
          })),
          ...newerFacts(preview.newer, release.display_version ?? `v${release.version}`),
        ]}
      />
      {merged !== undefined && <Callout kind="info">{merged}</Callout>}
    </div>
  )
}
