import { useState } from 'react'
import { formatDuration } from '../../lib/dates'
import type { InputProps } from '../input'
import type { FieldProps } from './field'
import { NumberField } from './text-field'

const saidOf = (typed: string) => {
  const seconds = typed.trim() === '' ? Number.NaN : Number(typed)
  return Number.isInteger(seconds) && seconds >= 60 ? formatDuration(seconds) : undefined
}

/** A span of time in seconds, as machines have it; from a minute on it is said in people's units too. */
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
