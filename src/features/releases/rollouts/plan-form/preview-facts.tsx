import { css } from 'styled-system/css'
import type { Release } from '../../../../../contract/releases'
import type { RolloutPreview } from '../../../../../contract/rollout-plans'
import { formatCount } from '../../../../lib/amounts'
import { formatBytes } from '../../../../lib/bytes'
import { Pairs } from '../../../../ui/facts'
import { Callout } from '../../../../ui/notice'
import { newerFacts } from '../newer-devices'
import { trustFacts } from '../untrusting'
import { describeEmpty, describeExclusion, describeMerged } from './preview-text'

const stack = css({ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: '12' })

type Props = { preview: RolloutPreview; release: Release; planned: number }

/** The counts of a preview. */
export const PreviewFacts = ({ preview, release, planned }: Props) => {
  const { total, waves, excluded } = preview
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
          ...trustFacts(preview),
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
