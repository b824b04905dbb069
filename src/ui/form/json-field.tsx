import { useEffect, useRef, useState } from 'react'
import { formatBytes } from '../../lib/bytes'
import { brokenAt, formatJsonPosition } from '../../lib/json-position'
import { JsonInput } from './json-input'
import { Field } from './field'
import type { FieldProps } from './field'

type Props = Omit<FieldProps, 'label'> & {
  label: string
  name: string
  /** The value, not its text. */
  defaultValue: unknown
  /** The limit in bytes of UTF-8; a counter shows the current size. */
  limit?: number
}

/** Errors are shown after a pause in typing: until then an open bracket is no mistake. */
const pause = 600

const bytesOf = (text: string) => new TextEncoder().encode(text).length

/** An editor for JSON: the error is shown beneath with its line and column, after a pause in typing. */
export const JsonField = ({ label, required, hint, info, error, name, defaultValue, limit }: Props) => {
  const [first] = useState(() => JSON.stringify(defaultValue, null, 2))
  const [used, setUsed] = useState(() => bytesOf(first))
  // Null until something was typed after the last refusal: then the refusal itself is shown.
  const [told, setTold] = useState<string | null | undefined>(null)
  const [refused, setRefused] = useState(error)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  if (refused !== error) {
    setRefused(error)
    setTold(null)
  }
  const change = (text: string) => {
    setUsed(bytesOf(text))
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      const place = brokenAt(text)
      setTold(place && formatJsonPosition(place))
    }, pause)
  }
  const said = told === null ? error : told
  return (
    <Field
      label={label}
      required={required}
      hint={hint}
      info={info}
      error={said}
      counter={limit === undefined ? undefined : `${formatBytes(used)} / ${formatBytes(limit)}`}
    >
      <JsonInput name={name} label={label} defaultValue={first} error={said} onChange={change} />
    </Field>
  )
}
