import type { ReactNode } from 'react'
import { progress } from 'styled-system/recipes'
import type { Kind } from '../text/kind'
import { share } from '../chart/stacked-bar'

type Props = {
  /** 0 (nothing is drawn) to 1, or undefined while it is not known. */
  value?: number
  kind?: Kind
  label: string
  /** The number or word next to it: a bar always has a text. */
  children?: ReactNode
}

export const Progress = ({ value, kind = 'info', label, children }: Props) => {
  const classes = progress()
  return (
    <span className={classes.root}>
      <span
        className={classes.track}
        data-unknown={value === undefined || undefined}
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={value === undefined ? undefined : Math.floor(value * 100)}
      >
        {value !== 0 && <span className={classes.part} data-kind={kind} style={value === undefined ? undefined : share(value)} />}
      </span>
      {children !== undefined && <span className={classes.word}>{children}</span>}
    </span>
  )
}
