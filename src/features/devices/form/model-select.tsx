import type { HardwareModel } from '../../../../contract/fleet/hardware-models'
import { SelectField } from '../../../ui/form/select-field'

type Props = {
  name: string
  error: string | undefined
  models: readonly HardwareModel[]
  hint?: string
  disabled?: boolean
  onValueChange: (id: string) => void
}

/** Loaded separately, with its list. */
export const ModelSelect = ({ models, hint = 'Releases for other models are not offered to it.', ...field }: Props) => (
  <SelectField
    {...field}
    label="Hardware model"
    required
    items={models.map(({ id, name }) => ({ value: id, label: name === id ? id : `${name} (${id})` }))}
    {...(models[0] && { defaultValue: models[0].id })}
    hint={hint}
  />
)
