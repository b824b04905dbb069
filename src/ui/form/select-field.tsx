import { type ComponentProps, useState } from 'react'
import { Combobox } from './combobox'
import { MultiSelect } from './multi-select'
import type { Option } from './option'
import { Select } from './select'
import { Field } from './field'
import type { FieldProps } from './field'

type OfField<P> = FieldProps & Omit<P, keyof FieldProps>

/** The error for text that matches no option. */
export const notListed = (typed: string) => `“${typed}” is not in the list. Choose an entry from the list.`

type SelectFieldProps<V extends string> = FieldProps & {
  items: readonly Option<V>[]
  value?: V | undefined
  defaultValue?: V | undefined
  onValueChange?: (value: V) => void
  name?: string
  placeholder?: string
  disabled?: boolean
}

/** A searchable box that shows an error when the text matches no option. */
export const ComboboxField = <V extends string>({
  label,
  required,
  hint,
  info,
  error,
  ...rest
}: OfField<ComponentProps<typeof Combobox<V>>>) => {
  const [unmatched, setUnmatched] = useState<string>()
  const problem = error ?? (unmatched === undefined ? undefined : notListed(unmatched))
  return (
    <Field label={label} required={required} hint={hint} info={info} error={problem}>
      <Combobox {...rest} onUnmatched={setUnmatched} />
    </Field>
  )
}

/** Fewer than eight options: a select; more: a searchable box. */
export const SelectField = <V extends string>({ label, required, hint, info, error, ...rest }: SelectFieldProps<V>) => {
  const field = { label, required, hint, info, error }
  if (rest.items.length > 7)
    return <ComboboxField {...field} {...rest} onValueChange={(value) => value !== '' && rest.onValueChange?.(value)} />
  return (
    <Field {...field}>
      <Select {...rest} />
    </Field>
  )
}

export const MultiSelectField = <V extends string>({
  label,
  required,
  hint,
  info,
  error,
  ...rest
}: OfField<ComponentProps<typeof MultiSelect<V>>>) => (
  <Field label={label} required={required} hint={hint} info={info} error={error}>
    <MultiSelect {...rest} />
  </Field>
)
