import { SelectField } from '../../ui/form/select-field'
import { Select } from '../../ui/form/select'
import { roleDescriptions } from '../../../contract/accounts/role-descriptions'
import type { Role } from './member-scope'

const itemsOf = (roles: readonly Role[]) => roles.map((role) => ({ value: role, label: role }))

type Props = { label: string; roles: readonly Role[]; value: Role; disabled?: boolean; onChange: (role: Role) => void }

/** A select for a role. Loaded later, because it needs Ark. */
export const RoleSelect = ({ label, roles, value, disabled, onChange }: Props) => (
  <Select
    small
    label={label}
    items={itemsOf(roles)}
    value={value}
    {...(disabled !== undefined && { disabled })}
    onValueChange={onChange}
  />
)

type FieldProps = {
  field: { name: string; error: string | undefined }
  roles: readonly Role[]
  value: Role
  onChange: (role: Role) => void
}

/** The same in a form, with a description of the role. */
export const RoleField = ({ field, roles, value, onChange }: FieldProps) => (
  <SelectField
    {...field}
    label="Role"
    required
    items={itemsOf(roles)}
    value={value}
    onValueChange={onChange}
    hint={roleDescriptions[value]}
  />
)
