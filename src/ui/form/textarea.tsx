import type { ComponentProps } from 'react'
import { cx } from 'styled-system/css'
import { input } from 'styled-system/recipes'
import { useField } from './use-field'

export type TextareaProps = ComponentProps<'textarea'> & { mono?: boolean }

// §9: 4 rows at least, 10000 at most.
const rowsWithin = (rows: number) => Math.min(10_000, Math.max(4, rows))

export const Textarea = ({ mono, rows = 4, className, ...rest }: TextareaProps) => {
  const { labelId: _, ...control } = useField() ?? { labelId: '' }
  const classes = input()
  return (
    <div className={cx(classes.root, className)}>
      <textarea {...control} rows={rowsWithin(rows)} {...rest} className={classes.control} data-mono={mono || undefined} />
    </div>
  )
}
