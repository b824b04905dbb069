import { useEffect, useId, useRef } from 'react'
import type { ComponentProps, ReactNode } from 'react'
import { choice } from 'styled-system/recipes'

type SwitchProps = Omit<ComponentProps<'input'>, 'type'> & {
  children?: ReactNode
  /** An explanation, under its label. */
  hint?: ReactNode
}
type Props = Omit<SwitchProps, 'hint'> & { mixed?: boolean }

/** Without children it needs an `aria-label`, and has a 32 px target in its row. */
export const Checkbox = ({ children, mixed = false, ...rest }: Props) => {
  const classes = choice()
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (box.current) box.current.indeterminate = mixed
  }, [mixed])
  if (children === undefined) return <input ref={box} {...rest} type="checkbox" className={classes.checkbox} data-alone />
  return (
    <label className={classes.root}>
      <input ref={box} {...rest} type="checkbox" className={classes.checkbox} />
      <span className={classes.label}>{children}</span>
    </label>
  )
}

// A native checkbox has its checked state without ARIA.
const asSwitch = { type: 'checkbox', role: 'switch' } as const

export const Switch = ({ children, hint, ...rest }: SwitchProps) => {
  const classes = choice()
  const id = useId()
  return (
    <label className={classes.root} data-hinted={hint !== undefined || undefined}>
      <input
        {...rest}
        {...(hint !== undefined && { 'aria-labelledby': `${id}l`, 'aria-describedby': `${id}h` })}
        {...asSwitch}
        className={classes.switch}
      />
      {hint === undefined ? (
        children !== undefined && <span className={classes.label}>{children}</span>
      ) : (
        <span className={classes.words}>
          <span id={`${id}l`} className={classes.label}>
            {children}
          </span>
          <span id={`${id}h`} className={classes.hint}>
            {hint}
          </span>
        </span>
      )}
    </label>
  )
}
