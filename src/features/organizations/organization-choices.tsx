import { useState } from 'react'
import type { Organization } from '../../../contract/accounts/organization'
import { type BaseRole, baseRoles } from '../../../contract/core/roles'
import { roleDescriptions } from '../../../contract/accounts/role-descriptions'
import { SelectField } from '../../ui/form/select-field'

const idle = [
  { value: '900', label: '15 minutes' },
  { value: '3600', label: '1 hour' },
  { value: '14400', label: '4 hours' },
  { value: '43200', label: '12 hours' },
  { value: '86400', label: '24 hours' },
]
/** A value set by the API that is none of these is added to the list. */
const idleItems = (seconds: number) =>
  idle.some(({ value }) => value === String(seconds)) ? idle : [...idle, { value: String(seconds), label: `${seconds} seconds` }]

type Field = { name: string; error: string | undefined }
type Props = { settings: Organization['settings']; role: Field; idleTime: Field }

/** The selects of the form. Loaded later, because they need Ark. */
export const OrganizationChoices = ({ settings, role: roleField, idleTime }: Props) => {
  const [role, setRole] = useState<BaseRole>(settings.default_role)
  return (
    <>
      <SelectField
        {...roleField}
        label="Role of new members"
        items={baseRoles.map((value) => ({ value, label: value }))}
        value={role}
        onValueChange={setRole}
        hint={`Preselected for invites. ${roleDescriptions[role]}`}
      />
      <SelectField
        {...idleTime}
        label="End unused sessions after"
        items={idleItems(settings.session_idle_s)}
        defaultValue={String(settings.session_idle_s)}
        hint="For every member. A page in view counts as use. The shortest limit applies across organizations."
      />
    </>
  )
}
