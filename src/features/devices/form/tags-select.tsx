import { MultiSelectField } from '../../../ui/form/select-field'

type Props = {
  names: readonly string[]
  error: string | undefined
  value: readonly string[]
  onValueChange: (names: string[]) => void
}

/** Loaded separately: the searchable list is as large as the rest of the page. */
export const TagsSelect = ({ names, error, value, onValueChange }: Props) => (
  <MultiSelectField
    label="Tags"
    error={error}
    items={names.map((name) => ({ value: name, label: name }))}
    value={value}
    onValueChange={onValueChange}
    placeholder={names.length === 0 ? 'The project has no tags' : 'None'}
    disabled={names.length === 0}
  />
)
