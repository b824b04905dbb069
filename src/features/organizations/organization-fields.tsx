import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Organization } from '../../../contract/organizations'
import { type BaseRole, baseRoles } from '../../../contract/roles'
import { roleWords } from '../../../contract/role-words'
import { selfQuery } from '../../api/queries/self'
import { useSystem } from '../../system/system'
import { Switch } from '../../ui/choice'
import { GroupField } from '../../ui/form/choice-field'
import { SelectField } from '../../ui/form/select-field'
import { TextareaField, TextField } from '../../ui/form/text-field'

const idle = [
  { value: '900', label: '15 minutes' },
  { value: '3600', label: '1 hour' },
  { value: '14400', label: '4 hours' },
  { value: '43200', label: '12 hours' },
  { value: '86400', label: '24 hours' },
]
/** A time that is none of these, set by a program, keeps its place. */
const idleItems = (seconds: number) =>
  idle.some(({ value }) => value === String(seconds)) ? idle : [...idle, { value: String(seconds), label: `${seconds} seconds` }]

/** What stands in the controls, as the contract's change. */
export const readOrganization = (data: FormData): unknown => ({
  name: data.get('name'),
  description: data.get('description'),
  settings: {
    default_role: data.get('settings.default_role'),
    session_idle_s: Number(data.get('settings.session_idle_s')),
    require_mfa: data.has('settings.require_mfa'),
    require_release_approval: data.has('settings.require_release_approval'),
  },
})

type Props = { organization: Organization; field: (name: string) => { name: string; error: string | undefined } }

export const OrganizationFields = ({ organization: { name, description, settings }, field }: Props) => {
  const { api } = useSystem()
  const { data: self } = useQuery(selfQuery(api))
  const [role, setRole] = useState<BaseRole>(settings.default_role)
  const factor = field('settings.require_mfa')
  // Whoever has no second factor would lock themselves out.
  const mayDemand = settings.require_mfa || self?.mfa_enabled === true
  return (
    <>
      <TextField {...field('name')} label="Name" required defaultValue={name} />
      <TextareaField {...field('description')} label="Description" defaultValue={description} limit={256} />
      <SelectField
        {...field('settings.default_role')}
        label="Role of new members"
        items={baseRoles.map((value) => ({ value, label: value }))}
        value={role}
        onValueChange={setRole}
        hint={`Invites begin with it. ${roleWords[role]}`}
      />
      <SelectField
        {...field('settings.session_idle_s')}
        label="Sessions end unused after"
        items={idleItems(settings.session_idle_s)}
        defaultValue={String(settings.session_idle_s)}
        hint="For every member. Who is in several organizations goes by the strictest."
      />
      <GroupField
        label="Safety"
        error={factor.error}
        hint={mayDemand ? undefined : 'To demand a second factor of others, set one up for your own account first.'}
      >
        <Switch {...{ name: factor.name }} defaultChecked={settings.require_mfa} disabled={!mayDemand}>
          Members need a second factor to sign in
        </Switch>
        <Switch name={field('settings.require_release_approval').name} defaultChecked={settings.require_release_approval}>
          Every rollout needs somebody else’s approval
        </Switch>
      </GroupField>
    </>
  )
}
