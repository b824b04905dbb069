import { cloneElement, useId } from 'react'
import type { ReactElement } from 'react'
import { hint } from 'styled-system/recipes'

type Props = {
  text: string
  side?: 'bottom' | 'top' | 'right'
  align?: 'center' | 'start' | 'end'
  children: ReactElement<{ 'aria-describedby'?: string }>
}

/** A tooltip in CSS only: it needs no script and describes its control to assistive technology. */
export const Hint = ({ text, side, align, children }: Props) => {
  const id = useId()
  const classes = hint()
  return (
    <span className={classes.root}>
      {cloneElement(children, { 'aria-describedby': id })}
      <span role="tooltip" id={id} className={classes.tip} data-side={side} data-align={align}>
        {text}
      </span>
    </span>
  )
}
