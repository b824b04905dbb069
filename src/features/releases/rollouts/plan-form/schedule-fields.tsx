import { useId } from 'react'
import { css } from 'styled-system/css'
import { defaultBackoff, weekdays } from '../../../../../contract/updates/rollout-plans'
import { fromLocal, toLocal } from '../../../../lib/local-time'
import { Checkbox, Switch } from '../../../../ui/form/choice'
import { GroupField, SegmentField } from '../../../../ui/form/choice-field'
import { Pair } from '../../../../ui/form/form'
import { SecondsField } from '../../../../ui/form/seconds-field'
import { NumberField, TextField } from '../../../../ui/form/text-field'
import type { PartProps } from './plan-fields'
import { Section } from './section'

const dayNames: Record<(typeof weekdays)[number], string> = {
  mon: 'Mon',
  tue: 'Tue',
  wed: 'Wed',
  thu: 'Thu',
  fri: 'Fri',
  sat: 'Sat',
  sun: 'Sun',
}
const row = css({ display: 'flex', flexWrap: 'wrap', gap: '12' })

const WindowFields = ({ draft, onChange, errorOf }: PartProps) => {
  const { window } = draft
  const zones = useId()
  const set = (changes: Partial<typeof window>) => onChange({ window: { ...window, ...changes } })
  const inDeviceTime = window.zone === 'device'
  return (
    <>
      <GroupField label="Days" required error={errorOf('window.days')}>
        <div className={row}>
          {weekdays.map((day) => (
            <Checkbox
              key={day}
              checked={window.days.includes(day)}
              onChange={(event) =>
                set({ days: weekdays.filter((one) => (one === day ? event.target.checked : window.days.includes(one))) })
              }
            >
              {dayNames[day]}
            </Checkbox>
          ))}
        </div>
      </GroupField>
      <Pair>
        <TextField
          label="From"
          required
          mono
          value={window.from}
          onChange={(event) => set({ from: event.target.value })}
          error={errorOf('window.from')}
        />
        <TextField
          label="To"
          required
          mono
          value={window.to}
          onChange={(event) => set({ to: event.target.value })}
          error={errorOf('window.to')}
          hint="Past midnight it belongs to the day on which it begins."
        />
      </Pair>
      <Pair>
        <SegmentField
          label="Clock"
          items={[
            { value: 'device', label: 'Device time' },
            { value: 'zone', label: 'One time zone' },
          ]}
          value={inDeviceTime ? 'device' : 'zone'}
          onValueChange={(clock) =>
            set({ zone: clock === 'device' ? 'device' : Intl.DateTimeFormat().resolvedOptions().timeZone })
          }
          hint={inDeviceTime ? 'UTC for devices without a time zone.' : undefined}
        />
        {!inDeviceTime && (
          <>
            <TextField
              label="Time zone"
              required
              value={window.zone}
              onChange={(event) => set({ zone: event.target.value })}
              error={errorOf('window.zone')}
              list={zones}
              spellCheck={false}
            />
            <datalist id={zones}>
              {Intl.supportedValuesOf('timeZone').map((zone) => (
                <option key={zone} value={zone}>
                  {zone}
                </option>
              ))}
            </datalist>
          </>
        )}
      </Pair>
    </>
  )
}

/** When updates may start. */
export const ScheduleFields = (props: PartProps) => {
  const { draft, onChange, errorOf, groupError } = props
  return (
    <Section title="Time" error={groupError('window')}>
      <Pair>
        <TextField
          label="Start"
          type="datetime-local"
          value={toLocal(draft.start_at === '' ? null : draft.start_at)}
          onChange={(event) => onChange({ start_at: event.target.value === '' ? '' : fromLocal(event.target.value) })}
          error={errorOf('start_at')}
          hint="In your time zone. Leave empty to start now."
        />
        <TextField
          label="End"
          type="datetime-local"
          value={toLocal(draft.end_at === '' ? null : draft.end_at)}
          onChange={(event) => onChange({ end_at: event.target.value === '' ? '' : fromLocal(event.target.value) })}
          error={errorOf('end_at')}
          hint="Waiting devices are cancelled then; running updates finish."
        />
      </Pair>
      <Switch
        checked={draft.windowed}
        onChange={(event) => onChange({ windowed: event.target.checked })}
        hint="Updates start only inside the window."
      >
        Maintenance window
      </Switch>
      {draft.windowed && <WindowFields {...props} />}
    </Section>
  )
}

/** How many devices update at a time, and how often a device tries. */
export const PaceFields = ({ draft, onChange, errorOf, groupError, concurrent }: PartProps & { concurrent: number }) => {
  const { backoff } = draft
  const set = (changes: Partial<typeof backoff>) => onChange({ backoff: { ...backoff, ...changes } })
  return (
    <Section title="Pace and retries" error={groupError('backoff')}>
      <Pair>
        <NumberField
          label="Devices at a time"
          value={draft.max_concurrent}
          onChange={(event) => onChange({ max_concurrent: event.target.value })}
          error={errorOf('max_concurrent')}
          placeholder={String(concurrent)}
          hint="Leave empty to use the project's number."
        />
        <NumberField
          label="Starts per minute"
          value={draft.start_rate_per_min}
          onChange={(event) => onChange({ start_rate_per_min: event.target.value })}
          error={errorOf('start_rate_per_min')}
          placeholder="No limit"
        />
      </Pair>
      <Pair>
        <NumberField
          label="Retries"
          value={draft.retries}
          onChange={(event) => onChange({ retries: event.target.value })}
          error={errorOf('retries')}
          placeholder="3"
          hint="For transient failures, such as a broken download."
        />
        <NumberField
          label="Priority"
          value={draft.priority}
          onChange={(event) => onChange({ priority: event.target.value })}
          error={errorOf('priority')}
          placeholder="50"
          hint="0 to 100. A device gets the rollout with the highest one first."
        />
      </Pair>
      <Pair>
        <SecondsField
          label="First wait before a retry"
          defaultValue={backoff.first_s}
          onChange={(event) => set({ first_s: event.target.value })}
          error={errorOf('backoff.first_s')}
          placeholder={String(defaultBackoff.first_s)}
        />
        <NumberField
          label="Times longer after each failure"
          value={backoff.factor}
          onChange={(event) => set({ factor: event.target.value })}
          error={errorOf('backoff.factor')}
          placeholder={String(defaultBackoff.factor)}
        />
      </Pair>
      <SecondsField
        label="Longest wait"
        defaultValue={backoff.max_s}
        onChange={(event) => set({ max_s: event.target.value })}
        error={errorOf('backoff.max_s')}
        placeholder={String(defaultBackoff.max_s)}
      />
    </Section>
  )
}
