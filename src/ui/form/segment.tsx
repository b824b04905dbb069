import { useId } from 'react'
import type { ReactNode } from 'react'
import { segment } from 'styled-system/recipes'

export type SegmentItem<V extends string> = { value: V; label: ReactNode; disabled?: boolean }

type Props<V extends string> = {
  label: string
  items: readonly SegmentItem<V>[]
  value?: V
  defaultValue?: V
  name?: string
  small?: boolean
  onValueChange?: (value: V) => void
}

/** One of few, all visible: native radios, so arrow keys and forms work. */
export const Segment = <V extends string>({ label, items, value, defaultValue, name, small, onValueChange }: Props<V>) => {
  const id = useId()
  const classes = segment()
  return (
    <div role="radiogroup" aria-label={label} className={classes.root} data-size={small ? 'small' : undefined}>
      {items.map((item) => (
        <label key={item.value} className={classes.item}>
          <input
            type="radio"
            className={classes.input}
            name={name ?? id}
            value={item.value}
            disabled={item.disabled}
            {...(value === undefined ? { defaultChecked: item.value === defaultValue } : { checked: item.value === value })}
            onChange={() => onValueChange?.(item.value)}
          />
          {item.label}
        </label>
      ))}
    </div>
  )
}
