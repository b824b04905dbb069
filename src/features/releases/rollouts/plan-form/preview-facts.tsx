import { css } from 'styled-system/css'
import type { Release } from '../../../../../contract/updates/releases'
import type { RolloutPreview } from '../../../../../contract/updates/rollout-plans'
import { formatCount } from '../../../../lib/amounts'
import { formatBytes } from '../../../../lib/bytes'
import { Pairs } from '../../../../ui/layout/facts'
import { Callout } from '../../../../ui/layout/notice'
import { DateTime } from '../../../../ui/text/time'
import { newerFacts } from '../newer-devices'
import { trustFacts } from '../untrusting'
import {
  describeEmpty,
  describeExclusion,
  describeMerged,
  describeOverlap,
  describePaused,
  describeRest,
  labelWave,
} from './preview-text'

const stack = css({ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: '12' })

type Props = { preview: RolloutPreview; release: Release; planned: number }

/** The counts of a preview. */
export const PreviewFacts = ({ preview, release, planned }: Props) => {
  const { total, waves, excluded, paused } = preview
  const notes = [
    ...preview.overlaps.map(describeOverlap),
    ...[describeMerged(preview, planned), describeRest(preview)].filter((note) => note !== undefined),
  ]
  return (
    <div className={stack}>
      {total === 0 && <Callout kind="warning">{describeEmpty(preview)}</Callout>}
      <Pairs
        wide
        facts={[
          { label: 'Devices', value: formatCount(total) },
          ...waves.map(({ count, sample, ...wave }) => ({
            label: labelWave(wave),
            value: `${formatCount(count)} (${sample.map(({ name }) => name).join(', ')}${count > sample.length ? ', …' : ''})`,
          })),
          ...(paused === null
            ? []
            : [
                { label: 'Paused, included', value: describePaused(paused) },
                { label: paused.count === 1 ? 'Pause ends' : 'Last pause ends', value: <DateTime value={paused.until} /> },
              ]),
          ...trustFacts(preview),
          { label: 'To download', value: formatBytes(preview.size_bytes_total) },
          ...excluded.map(({ reason, count }) => ({
            label: `Left out: ${describeExclusion(reason)}`,
            value: formatCount(count),
          })),
          ...newerFacts(preview.newer, release.display_version ?? `v${release.version}`),
        ]}
      />
      {notes.map((note) => (
        <Callout key={note} kind="info">
          {note}
        </Callout>
      ))}
    </div>
  )
}
