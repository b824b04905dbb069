import { css } from 'styled-system/css'
import type { Rollout, WaveStatus } from '../../../../contract/updates/rollouts'
import { formatCount } from '../../../lib/amounts'
import { pluralize } from '../../../lib/pluralize'
import { waveDisplay } from '../../../lib/rollout-status'
import { Status } from '../../../ui/text/chip'
import { StackedBar } from '../../../ui/chart/stacked-bar'
import { ScaleBar } from '../../../ui/chart/scale-bar'
import * as Table from '../../../ui/list/table'
import { DateTime } from '../../../ui/text/time'
import { describeSoak } from './plan-text'

const quiet = css({ color: 'muted' })
const tagName = css({ textStyle: 'mono', color: 'muted' })

const partsOf = ({ counts: { succeeded, failed, running, claimed }, returned }: WaveStatus) => [
  { label: 'succeeded', count: succeeded - returned, kind: 'success' as const },
  { label: 'back', count: returned, kind: 'neutral' as const },
  { label: 'failed', count: failed, kind: 'error' as const },
  { label: 'claimed', count: claimed, kind: 'warning' as const },
  { label: 'running', count: running - claimed, kind: 'info' as const },
]

const stagesOf = (rollout: Rollout) =>
  rollout.waves.map((wave) => ({
    name: `Wave ${wave.n}`,
    until: wave.percent,
    current: wave.n === rollout.current_wave && rollout.ended_at === null,
    parts: partsOf(wave).map(({ count, ...part }) => ({
      ...part,
      share: wave.counts.targeted === 0 ? 0 : count / wave.counts.targeted,
    })),
  }))

const rate = (value: number | null) => (value === null ? '–' : `${Math.round(value * 10) / 10} %`)
/** What the numbers beside it do not say: how many of the running ones are claimed, and of those that succeeded are back. */
const asides = ({ counts: { claimed }, returned }: WaveStatus) =>
  (claimed > 0 ? ` (${formatCount(claimed)} claimed)` : '') + (returned > 0 ? ` (${formatCount(returned)} back)` : '')
const numbers = (wave: WaveStatus) => {
  const { succeeded, failed, running, waiting } = wave.counts
  return [succeeded, failed, running, waiting].map(formatCount).join(' · ') + asides(wave)
}

const narrowOnly = css({ hideFrom: 'md' })
const roomyOnly = css({ hideBelow: 'md' })
const waveBar = css({ display: 'block', w: { base: '180', md: 'auto' } })
/** The numbers in words, because without the head of the column their meaning is not clear. */
const inWords = ({ counts: { succeeded, failed, claimed, targeted }, returned }: WaveStatus) => {
  const back = returned > 0 ? `, ${formatCount(returned)} back` : ''
  if (failed > 0) return `${formatCount(failed)} failed${back}`
  return claimed > 0
    ? `${formatCount(succeeded)} confirmed, ${formatCount(claimed)} claimed`
    : `${formatCount(succeeded)} of ${formatCount(targeted)}${back}`
}

const WaveRow = ({ wave, ended }: { wave: WaveStatus; ended: boolean }) => {
  const { shape, word } = waveDisplay(wave, ended)
  const { success_percent: success, failure_percent: failure } = wave
  return (
    <Table.Row dimmed={wave.state === 'waiting'}>
      <Table.Cell at="lead">
        <b>
          <span className={narrowOnly}>Wave </span>
          {wave.n}
        </b>
        {wave.tag !== null && <code className={tagName}> {wave.tag}</code>}
        <span className={narrowOnly}> · {pluralize(wave.counts.targeted, 'device')}</span>
      </Table.Cell>
      <Table.Cell align="end">{formatCount(wave.counts.targeted)}</Table.Cell>
      <Table.Cell at="sub">
        <Status shape={shape}>{word}</Status>
      </Table.Cell>
      <Table.Cell at="subEnd">
        <span className={waveBar}>
          <StackedBar label={`Wave ${wave.n}`} total={wave.counts.targeted} parts={partsOf(wave)}>
            <span className={roomyOnly}>{numbers(wave)}</span>
            <span className={narrowOnly}>{inWords(wave)}</span>
          </StackedBar>
        </span>
      </Table.Cell>
      <Table.Cell align="end" at="end">
        {rate(success)} {success !== null && <span className={quiet}>/ {wave.gate.min_success_percent} %</span>}
      </Table.Cell>
      <Table.Cell align="end">
        {rate(failure)} {failure !== null && <span className={quiet}>/ {wave.gate.max_failure_percent} %</span>}
      </Table.Cell>
      <Table.Cell>{describeSoak(wave.gate)}</Table.Cell>
      <Table.Cell>
        <DateTime value={wave.started_at} />
      </Table.Cell>
    </Table.Row>
  )
}

/** All waves of a rollout on one scale. */
export const WaveScale = ({ rollout }: { rollout: Rollout }) => <ScaleBar label={rollout.name} stages={stagesOf(rollout)} />

/** The waves of a rollout with what their gates measured, in a table. */
export const WaveTable = ({ rollout }: { rollout: Rollout }) => (
  <Table.Root caption={`Waves of ${rollout.name}`} auto scroll stack>
    <Table.Head>
      <Table.Th>Wave</Table.Th>
      <Table.Th align="end">Devices</Table.Th>
      <Table.Th>State</Table.Th>
      <Table.Th>Succeeded, failed, running, waiting</Table.Th>
      <Table.Th align="end">Success</Table.Th>
      <Table.Th align="end">Failure</Table.Th>
      <Table.Th>Soak</Table.Th>
      <Table.Th>Started</Table.Th>
    </Table.Head>
    <Table.Body>
      {rollout.waves.map((wave) => (
        <WaveRow key={wave.n} wave={wave} ended={rollout.ended_at !== null} />
      ))}
    </Table.Body>
  </Table.Root>
)
