import type { HardwareModel } from '../../../contract/projects'
import { SelectField } from '../../ui/form/select-field'

type Props = { name: string; error: string | undefined; models: readonly HardwareModel[] }

/** A part of its own, as the list it opens. */
export const ModelSelect = ({ models, ...field }: Props) => (
  <SelectField
    {...field}
    label="Hardware model"
    required
    items={models.map(({ id, name }) => ({ value: id, label: name === id ? id : `${name} (${id})` }))}
    {...(models[0] && { defaultValue: models[0].id })}
    hint="Releases for other models are not offered to it."
  />
)
