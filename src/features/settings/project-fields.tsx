import type { Project } from '../../../contract/projects'
import { Switch } from '../../ui/choice'
import { NumberField, TextareaField, TextField } from '../../ui/form/text-field'
import { Pair } from '../../ui/form/form'

const flags = ['auto_accept_devices', 'require_approval'] as const
const numbers = [
  ['polling_interval_s', 'Polling interval', 's', 'How often devices ask for work, unless they have their own.'],
  ['max_concurrent_updates', 'Updates at once', 'devices', 'More devices than this never install at the same time.'],
  ['device_failure_threshold', 'Failures before quarantine', 'failures', 'Of one release, on one device.'],
  ['quarantine_s', 'Quarantine', 's', 'How long a release is not offered again to a device that failed it.'],
  ['update_timeout_s', 'Update timeout', 's', 'An update that takes longer counts as failed.'],
] as const

/** A number that is none stays what was typed: the schema says what is wrong with it. */
const number = (value: FormDataEntryValue | null) => (value === null || value === '' ? value : Number(value))

/** What stands in the controls, as the contract's change. */
export const readProject = (data: FormData): unknown => ({
  name: data.get('name'),
  description: data.get('description'),
  settings: {
    ...Object.fromEntries(numbers.map(([name]) => [name, number(data.get(`settings.${name}`))])),
    ...Object.fromEntries(flags.map((name) => [name, data.has(`settings.${name}`)])),
  },
})

type Props = { project: Project; field: (name: string) => { name: string; error: string | undefined } }

export const ProjectFields = ({ project: { name, description, settings }, field }: Props) => (
  <>
    <TextField {...field('name')} label="Name" required defaultValue={name} />
    <TextareaField {...field('description')} label="Description" defaultValue={description} limit={512} />
    <Pair>
      {numbers.map(([setting, label, unit, hint]) => (
        <NumberField
          key={setting}
          {...field(`settings.${setting}`)}
          label={label}
          unit={unit}
          hint={hint}
          required
          defaultValue={settings[setting]}
        />
      ))}
    </Pair>
    <Switch name="settings.auto_accept_devices" defaultChecked={settings.auto_accept_devices}>
      New devices are let in at once
    </Switch>
    <Switch name="settings.require_approval" defaultChecked={settings.require_approval}>
      Rollouts need somebody else’s approval
    </Switch>
  </>
)
