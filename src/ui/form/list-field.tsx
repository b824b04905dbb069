import { useRef, useState } from 'react'
import { css } from 'styled-system/css'
import { readCommaList } from '../../lib/comma-list'
import { Icon } from '../icon/icon'
import { Input, type InputProps } from './input'
import { Field, type FieldProps } from './field'

/** A value that can be chosen instead of typed, and what is said beside it. */
type Suggestion = { value: string; label?: string; note?: string }

const choices = css({ display: 'flex', flexWrap: 'wrap', gap: '4', minW: '0' })
const choice = css({
  display: 'inline-flex',
  alignItems: 'center',
  gap: '8',
  maxW: 'full',
  minH: { base: 'controlTouch', md: '24' },
  px: '8',
  border: 'line',
  borderRadius: '4',
  textStyle: 'small',
  color: 'muted',
  cursor: 'pointer',
  overflowWrap: 'anywhere',
  textAlign: 'start',
  _hover: { bg: 'raisedHover' },
  '&[aria-pressed=true]': { color: 'text', border: 'strong', bg: 'raised' },
  '& code': { textStyle: 'mono' },
})
const mostShown = 12

type Props = FieldProps &
  Omit<InputProps, 'onChange' | 'value'> & {
    label: string
    /** The whole text, where its owner keeps it. */
    value?: string
    onTextChange?: (text: string) => void
    suggestions: readonly Suggestion[]
  }

/** A list that is separated by commas: typed, or chosen from what exists below it. */
export const ListField = ({ label, required, hint, info, error, value, onTextChange, suggestions, ...control }: Props) => {
  const input = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState(String(control.defaultValue ?? ''))
  const parts = readCommaList(value ?? typed)
  const change = (text: string) => {
    setTyped(text)
    onTextChange?.(text)
  }
  const toggle = (one: string) => {
    const text = (parts.includes(one) ? parts.filter((part) => part !== one) : [...parts, one]).join(', ')
    change(text)
    if (!input.current) return
    // The form chart hears of typing only.
    input.current.value = text
    input.current.dispatchEvent(new Event('input', { bubbles: true }))
  }
  return (
    <Field label={label} required={required} hint={hint} info={info} error={error}>
      <Input
        mono
        {...control}
        ref={input}
        {...(value !== undefined && { value })}
        onChange={(event) => change(event.target.value)}
      />
      {suggestions.length > 0 && (
        <div role="group" aria-label={`Choose ${label}`} className={choices}>
          {suggestions.slice(0, mostShown).map((one) => (
            <button
              key={one.value}
              type="button"
              className={choice}
              aria-pressed={parts.includes(one.value)}
              data-analytics-name="Choose a value of a list"
              onClick={() => toggle(one.value)}
            >
              {parts.includes(one.value) && <Icon name="check" size={12} />}
              <code>{one.label ?? one.value}</code>
              {one.note}
            </button>
          ))}
        </div>
      )}
    </Field>
  )
}
