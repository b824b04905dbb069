import { useQuery } from '@tanstack/react-query'
import { css } from 'styled-system/css'
import type { Project } from '../../../contract/accounts/projects'
import { organizationQuery } from '../../api/queries/accounts/organization'
import { useRefusal } from '../../system/scope/grants'
import { useSystem } from '../../system/system'
import { Switch } from '../../ui/form/choice'
import { Pair } from '../../ui/form/form'
import { SecondsField } from '../../ui/form/seconds-field'
import { NumberField, TextareaField, TextField } from '../../ui/form/text-field'
import { HealthFields, readThresholds } from './health-fields'

const flags = ['auto_accept_devices', 'require_approval'] as const
const spans = {
  polling: ['polling_interval_s', 'Polling interval', 'How often devices check in, unless they have their own interval.'],
  timeout: ['update_timeout_s', 'Update timeout', 'An update that takes longer counts as failed.'],
  quarantine: ['quarantine_s', 'Quarantine', 'How long a release is not offered again to a device that failed it.'],
} as const
const amounts = {
  atOnce: ['max_concurrent_updates', 'Concurrent updates', 'The most devices that install at the same time.'],
  failures: ['device_failure_threshold', 'Failures before quarantine', 'Of one release, on one device.'],
} as const
const numbers = [...Object.values(spans), ...Object.values(amounts)].map(([name]) => name)

const part = css({ display: 'grid', gap: '16', gridTemplateColumns: 'minmax(0, 1fr)', pt: '24', borderTop: 'line' })
const heading = css({ textStyle: 'heading' })
const about = css({ color: 'muted', mt: '2' })
const switches = css({ display: 'grid', justifyItems: 'start', gap: '4' })

/** Text that is no number becomes NaN: the schema refuses it. */
const number = (value: FormDataEntryValue | null) => (value === null || value === '' ? null : Number(value))

/** The values of the controls, as the body of a change. */
export const readProject = (data: FormData): unknown => ({
  name: data.get('name'),
  description: data.get('description'),
  settings: {
    ...Object.fromEntries(numbers.map((name) => [name, number(data.get(`settings.${name}`))])),
    ...Object.fromEntries(flags.map((name) => [name, data.has(`settings.${name}`)])),
    health_thresholds: readThresholds(data, number),
  },
})

type Props = { project: Project; field: (name: string) => { name: string; error: string | undefined } }

/** The name of the organization if all of its projects need approval; a guest of the project cannot read it. */
const useDemandOfOrganization = ({ organization_id: id }: Project): string | undefined => {
  const { api } = useSystem()
  const { data } = useQuery({ ...organizationQuery(api, id ?? ''), enabled: id !== undefined })
  return data?.settings.require_release_approval === true ? data.name : undefined
}

export const ProjectFields = ({ project, field }: Props) => {
  const { name, description, settings } = project
  const of = ([setting, label, hint]: (typeof spans)[keyof typeof spans] | (typeof amounts)[keyof typeof amounts]) => ({
    ...field(`settings.${setting}`),
    label,
    hint,
    required: true,
    defaultValue: settings[setting],
  })
  const refused = useRefusal('project:manage_members')
  const demandedBy = useDemandOfOrganization(project)
  return (
    <>
      <TextField {...field('name')} label="Name" required defaultValue={name} />
      <TextareaField {...field('description')} label="Description" defaultValue={description} limit={512} />
      <section className={part} aria-labelledby="settings-updates">
        <h2 id="settings-updates" className={heading}>
          Updates
        </h2>
        <Pair>
          <SecondsField {...of(spans.polling)} />
          <SecondsField {...of(spans.timeout)} />
          <NumberField {...of(amounts.atOnce)} unit="devices" />
          <NumberField {...of(amounts.failures)} unit="failures" />
          <SecondsField {...of(spans.quarantine)} />
        </Pair>
        <div className={switches}>
          <Switch
            name="settings.auto_accept_devices"
            defaultChecked={settings.auto_accept_devices}
            hint="Off: every device that enrolls must be accepted by a person, regardless of its enrollment token."
          >
            Accept new devices automatically
          </Switch>
          {/* A disabled control is not part of the form data, so its value is sent here. */}
          {refused !== undefined && settings.require_approval && (
            <input type="hidden" name="settings.require_approval" value="on" />
          )}
          <Switch
            name="settings.require_approval"
            defaultChecked={settings.require_approval}
            disabled={refused !== undefined}
            hint={
              demandedBy === undefined
                ? (refused ?? 'The person who asks for a rollout cannot approve it.')
                : `${demandedBy} demands approval in all of its projects, also where this is off.`
            }
          >
            Rollouts need approval by a second person
          </Switch>
        </div>
      </section>
      <section className={part} aria-labelledby="settings-health">
        <div>
          <h2 id="settings-health" className={heading}>
            Health
          </h2>
          <p className={about}>
            The worst value that a device reports determines its health. With a warning or worse, the device is listed under
            Attention on Monitor. The charts there show the warning level.
          </p>
        </div>
        <HealthFields thresholds={settings.health_thresholds} field={field} />
      </section>
    </>
  )
}
