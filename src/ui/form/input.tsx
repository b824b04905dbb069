import type { ComponentProps, ReactNode } from 'react'
import { cx } from 'styled-system/css'
import { input } from 'styled-system/recipes'
import { useField } from './use-field'
import { Icon } from '../icon/icon'

type Box = {
  start?: ReactNode
  /** A unit, a key hint, a button inside the right edge. */
  end?: ReactNode
  mono?: boolean
  /** 28 px, for tool rows. */
  small?: boolean
  /** The lighter border of filters. */
  quiet?: boolean
}

export type InputProps = ComponentProps<'input'> & Box

/** The text control. Inside a `Field` it takes id, description and error from it. */
export const Input = ({ start, end, mono, small, quiet, className, ...rest }: InputProps) => {
  const { labelId: _, ...control } = useField() ?? { labelId: '' }
  const classes = input()
  return (
    <div className={cx(classes.root, className)} data-size={small ? 'small' : undefined} data-quiet={quiet || undefined}>
      {start !== undefined && <span className={classes.start}>{start}</span>}
      <input type="text" autoComplete="off" {...control} {...rest} className={classes.control} data-mono={mono || undefined} />
      {end !== undefined && <span className={classes.end}>{end}</span>}
    </div>
  )
}

/** The filter box of a list. */
export const SearchInput = ({ end, label, ...rest }: Omit<InputProps, 'start' | 'type'> & { label: string }) => (
  <Input
    quiet
    type="search"
    aria-label={label}
    placeholder={label}
    start={<Icon name="search" size={14} />}
    end={end}
    {...rest}
  />
)
