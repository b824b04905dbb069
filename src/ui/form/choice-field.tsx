import type { ReactNode } from 'react'
import { field } from 'styled-system/recipes'
import { Segment } from './segment'
import type { SegmentItem } from './segment'
import { Field } from './field'
import type { FieldProps } from './field'

type SegmentFieldProps<V extends string> = FieldProps & {
  label: string
  items: readonly SegmentItem<V>[]
  name?: string
  value?: V
  defaultValue?: V
  onValueChange?: (value: V) => void
}

export const SegmentField = <V extends string>({ label, required, hint, info, error, ...rest }: SegmentFieldProps<V>) => (
  <Field label={label} required={required} hint={hint} info={info} error={error} group>
    <div>
      <Segment label={label} {...rest} />
    </div>
  </Field>
)

/** Checkboxes or switches under one label. */
export const GroupField = ({ children, ...rest }: FieldProps & { children: ReactNode }) => (
  <Field {...rest} group>
    <div className={field().choices}>{children}</div>
  </Field>
)
