import { useState } from 'react'
import type { ReactNode } from 'react'
import { Input } from './input'
import { Textarea } from './textarea'
import type { InputProps } from './input'
import type { TextareaProps } from './textarea'
import { Field } from './field'
import type { FieldProps } from './field'

const fieldOf = <P extends FieldProps>({ label, required, hint, info, error, counter, ...control }: P) => ({
  field: { label, required, hint, info, error, counter },
  control,
})

export const TextField = (props: FieldProps & InputProps) => {
  const { field, control } = fieldOf(props)
  return (
    <Field {...field}>
      <Input {...control} />
    </Field>
  )
}

/**
 * A number with its unit inside the right edge. A text control with a numeric keyboard: typed text stays, even when it is
 * wrong.
 */
export const NumberField = ({ unit, ...props }: FieldProps & Omit<InputProps, 'type' | 'end'> & { unit?: ReactNode }) => {
  const { field, control } = fieldOf(props)
  return (
    <Field {...field}>
      <Input inputMode="decimal" end={unit} {...control} />
    </Field>
  )
}

/** With `limit`, a counter shows the length; the schema refuses longer text, so that nothing is cut. */
export const TextareaField = ({ limit, ...props }: FieldProps & TextareaProps & { limit?: number }) => {
  const { field, control } = fieldOf(props)
  const [typed, setTyped] = useState(String(control.defaultValue ?? ''))
  const length = (control.value === undefined ? typed : String(control.value)).length
  return (
    <Field {...field} counter={limit === undefined ? field.counter : `${length} / ${limit}`}>
      <Textarea
        {...control}
        onChange={(event) => {
          setTyped(event.target.value)
          control.onChange?.(event)
        }}
      />
    </Field>
  )
}
