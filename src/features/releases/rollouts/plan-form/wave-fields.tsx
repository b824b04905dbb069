import type { ChangeEvent } from 'react'
import { css } from 'styled-system/css'
import type { Tag } from '../../../../../contract/fleet/tags'
import { formatDuration } from '../../../../lib/durations'
import { healthSoakS } from '../../../../../contract/updates/rollout-plans'
import { Button } from '../../../../ui/button'
import { Switch } from '../../../../ui/form/choice'
import { SegmentField } from '../../../../ui/form/choice-field'
import { Pair } from '../../../../ui/form/form'
import { SecondsField } from '../../../../ui/form/seconds-field'
import { MultiSelectField } from '../../../../ui/form/select-field'
import { NumberField } from '../../../../ui/form/text-field'
import { Icon } from '../../../../ui/icon/icon'
import { IconButton } from '../../../../ui/icon/icon-button'
import { type Climb, toWaveDraft, type WaveDraft, wavesOf } from './plan-draft'
import { options, type PartProps, withChosen } from './plan-fields'
import { Section } from './section'

const box = css({ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: '12', borderTop: 'line', pt: '12' })
const head = css({ display: 'flex', alignItems: 'center', justifyContent: 'space-between', gap: '8' })
const row = css({ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '8' })
const gate = css({ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: '12', pt: '12' })

const kinds = [
  { value: 'percent', label: 'Percent' },
  { value: 'count', label: 'Count' },
  { value: 'tag', label: 'Tag' },
] as const

const presets: { climb: Climb; label: string }[] = [
  { climb: 'careful', label: '1, 10, 50, 100 %' },
  { climb: 'quick', label: '10, 100 %' },
  { climb: 'once', label: 'All at once' },
]

const gateFields = ['min_success_percent', 'max_failure_percent', 'min_sample', 'soak_s', 'health_gate', 'then'] as const

const describeGate = (wave: WaveDraft) => {
  const soak = Number(wave.soak_s)
  return [
    `${wave.min_success_percent} % must succeed`,
    `at most ${wave.max_failure_percent} % may fail`,
    Number.isInteger(soak) && soak > 0 ? `soak ${formatDuration(soak)}` : 'no soak',
    ...(wave.health_gate ? ['health gate'] : []),
    ...(wave.then === 'wait_for_user' ? ['waits for a person'] : []),
  ].join(', ')
}

type WaveProps = {
  wave: WaveDraft
  position: number
  last: boolean
  tags: readonly Tag[]
  onChange: (changes: Partial<WaveDraft>) => void
  errorOf: PartProps['errorOf']
  onMove: (by: -1 | 1) => void
  onRemove: (() => void) | undefined
}

const Gate = ({ wave, position, errorOf, onChange }: Pick<WaveProps, 'wave' | 'position' | 'errorOf' | 'onChange'>) => {
  const field = (name: (typeof gateFields)[number]) => errorOf(`waves.${position - 1}.gate.${name}`)
  const isWrong = gateFields.some((name) => field(name) !== undefined)
  const text = (name: 'min_success_percent' | 'max_failure_percent' | 'min_sample') => ({
    required: true,
    value: wave[name],
    onChange: (event: ChangeEvent<HTMLInputElement>) => onChange({ [name]: event.target.value }),
    error: field(name),
  })
  return (
    <details {...(isWrong && { open: true })}>
      <summary>
        Gate of wave {position}: {describeGate(wave)}
      </summary>
      <div className={gate}>
        <Pair>
          <NumberField label="Must succeed" unit="%" {...text('min_success_percent')} />
          <NumberField label="May fail at most" unit="%" {...text('max_failure_percent')} />
        </Pair>
        <Pair>
          <NumberField label="Measured from" unit="devices" {...text('min_sample')} />
          <SecondsField
            label="Soak time"
            required
            defaultValue={wave.soak_s}
            onChange={(event) => onChange({ soak_s: event.target.value })}
            error={field('soak_s')}
          />
        </Pair>
        <Switch
          checked={wave.health_gate}
          onChange={(event) => onChange({ health_gate: event.target.checked })}
          hint={`Halts if the share of devices in critical health more than doubles, from 3 devices. Soaks at least ${formatDuration(healthSoakS)}.`}
        >
          Health gate
        </Switch>
        <Switch
          checked={wave.then === 'wait_for_user'}
          onChange={(event) => onChange({ then: event.target.checked ? 'wait_for_user' : 'continue' })}
          hint="The next wave opens when a person continues the rollout."
        >
          Wait for a person
        </Switch>
      </div>
    </details>
  )
}

const WaveRow = ({ wave, position, last, tags, onChange, errorOf, onMove, onRemove }: WaveProps) => {
  const error = errorOf(`waves.${position - 1}.value`)
  return (
    <div className={box} role="group" aria-label={`Wave ${position}`}>
      <div className={head}>
        <h3 className={css({ textStyle: 'strong' })}>Wave {position}</h3>
        <div className={row}>
          {position > 1 && <IconButton icon="up" size="small" variant="ghost" label="Earlier" onClick={() => onMove(-1)} />}
          {!last && <IconButton icon="down" size="small" variant="ghost" label="Later" onClick={() => onMove(1)} />}
          {onRemove && <IconButton icon="x" size="small" variant="ghost" label="Remove wave" onClick={onRemove} />}
        </div>
      </div>
      <Pair>
        <SegmentField
          label="Devices by"
          items={kinds}
          value={wave.kind}
          onValueChange={(kind) => onChange({ kind })}
          error={errorOf(`waves.${position - 1}.kind`)}
        />
        {wave.kind === 'tag' ? (
          <MultiSelectField
            label="Tag"
            required
            items={withChosen(options(tags.map(({ name }) => name)), wave.tag === '' ? [] : [wave.tag])}
            value={wave.tag === '' ? [] : [wave.tag]}
            onValueChange={(chosen) => onChange({ tag: chosen.find((name) => name !== wave.tag) ?? '' })}
            error={error}
          />
        ) : (
          <NumberField
            label={wave.kind === 'percent' ? 'Up to' : 'Up to device'}
            required
            unit={wave.kind === 'percent' ? '%' : 'devices'}
            value={wave.value}
            onChange={(event) => onChange({ value: event.target.value })}
            error={error}
          />
        )}
      </Pair>
      <Gate wave={wave} position={position} errorOf={errorOf} onChange={onChange} />
    </div>
  )
}

const swap = <T,>(list: readonly T[], one: number, other: number) =>
  list.map((item, n) => (n === one ? (list[other] ?? item) : n === other ? (list[one] ?? item) : item))

/** The waves in their order, each with its own gate. */
export const WaveFields = ({ draft, onChange, errorOf, groupError, tags }: PartProps & { tags: readonly Tag[] }) => {
  const { waves } = draft
  const nextKey = Math.max(-1, ...waves.map(({ key }) => key)) + 1
  const set = (list: readonly WaveDraft[]) => onChange({ waves: list })
  const choose = (climb: Climb) => set(wavesOf(climb, 0).map((wave, n) => toWaveDraft(wave, nextKey + n)))
  const add = () => {
    const last = waves.at(-1)
    const [fresh] = wavesOf('once', 0).map((wave) => toWaveDraft(wave, nextKey))
    if (fresh) set([...waves, { ...(last ?? fresh), key: nextKey, kind: 'percent', value: '' }])
  }
  return (
    <Section
      title="Waves"
      description="Percent and count are totals up to the end of the wave. They divide the devices that have the tag of no tag wave."
      error={groupError('waves')}
    >
      <div className={row}>
        {presets.map(({ climb, label }) => (
          <Button key={climb} size="small" onClick={() => choose(climb)}>
            {label}
          </Button>
        ))}
      </div>
      {waves.map((wave, n) => (
        <WaveRow
          key={wave.key}
          wave={wave}
          position={n + 1}
          last={n === waves.length - 1}
          tags={tags}
          errorOf={errorOf}
          onChange={(changes) => set(waves.map((one) => (one.key === wave.key ? { ...one, ...changes } : one)))}
          onMove={(by) => set(swap(waves, n, n + by))}
          onRemove={waves.length > 1 ? () => set(waves.filter(({ key }) => key !== wave.key)) : undefined}
        />
      ))}
      <div>
        <Button icon={<Icon name="plus" />} onClick={add} disabled={waves.length >= 20}>
          Add wave
        </Button>
      </div>
    </Section>
  )
}
