import type { ComponentProps } from 'react'
import { Combobox } from '../combobox'
import { MultiSelect } from '../multi-select'
import type { Option } from '../option'
import { Select } from '../select'
import { Field } from './field'
import type { FieldProps } from './field'

type OfField<P> = FieldProps & Omit<P, keyof FieldProps>

type SelectFieldProps<V extends string> = FieldProps & {
  items: readonly Option<V>[]
  value?: V | undefined
  defaultValue?: V | undefined
  onValueChange?: (value: V) => void
  name?: string
  placeholder?: string
  disabled?: boolean
}

/** Fewer than eight entries are read, more are searched. */
export const SelectField = <V extends string>({ label, required, hint, info, error, ...rest }: SelectFieldProps<V>) => (
  <Field label={label} required={required} hint={hint} info={info} error={error}>
    {rest.items.length > 7 ? (
      <Combobox {...rest} onValueChange={(value) => value !== '' && rest.onValueChange?.(value)} />
    ) : (
      <Select {...rest} />
    )}
  </Field>
)

export const ComboboxField = <V extends string>({
  label,
  required,
  hint,
  info,
  error,
  ...rest
}: OfField<ComponentProps<typeof Combobox<V>>>) => (
  <Field label={label} required={required} hint={hint} info={info} error={error}>
    <Combobox {...rest} />
  </Field>
)

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
