import { useState } from 'react'
import { formatDuration } from '../../lib/durations'
import type { InputProps } from './input'
import type { FieldProps } from './field'
import { NumberField } from './text-field'

const saidOf = (typed: string) => {
  const seconds = typed.trim() === '' ? Number.NaN : Number(typed)
  return Number.isInteger(seconds) && seconds >= 60 ? formatDuration(seconds) : undefined
}

/** A time span in seconds; from a minute on it is also shown in minutes, hours or days. */
export const SecondsField = ({ onChange, ...props }: FieldProps & Omit<InputProps, 'type' | 'end'>) => {
  const [said, setSaid] = useState(() => saidOf(String(props.defaultValue ?? '')))
  return (
    <NumberField
      {...props}
      unit={said === undefined ? 's' : `s = ${said}`}
      onChange={(event) => {
        setSaid(saidOf(event.target.value))
        onChange?.(event)
      }}
    />
  )
}
