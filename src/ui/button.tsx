import type { ComponentProps, ReactNode } from 'react'
import { css, cx } from 'styled-system/css'
import { button } from 'styled-system/recipes'
import { Hint } from './overlay/hint'

type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'danger' | 'dangerOutline'

export type ButtonProps = ComponentProps<'button'> & {
  variant?: ButtonVariant
  size?: 'md' | 'small'
  icon?: ReactNode
  /** While true the button is inactive and shows `busyLabel`, at its previous width. */
  busy?: boolean
  busyLabel?: string
  /** Why the user may not, and who may: the control stays visible, disabled, with this text. */
  refused?: string
  square?: boolean
}

const stack = css({ display: 'inline-grid', '& > *': { gridArea: '1 / 1' }, '& > [aria-hidden]': { visibility: 'hidden' } })

const Words = ({ busy, busyLabel, children }: Pick<ButtonProps, 'busy' | 'busyLabel' | 'children'>) =>
  busyLabel === undefined ? (
    children
  ) : (
    <span className={stack}>
      <span aria-hidden={busy ? true : undefined}>{children}</span>
      <span aria-hidden={busy ? undefined : true}>{busyLabel}</span>
    </span>
  )

export const Button = ({
  variant,
  size,
  square,
  icon,
  busy,
  busyLabel,
  refused,
  className,
  children,
  onClick,
  ...rest
}: ButtonProps) => {
  const held = busy || refused !== undefined
  const body = (
    <button
      type="button"
      {...rest}
      className={cx(button({ variant, size, square }), className)}
      aria-busy={busy || undefined}
      aria-disabled={held || undefined}
      onClick={held ? (event) => event.preventDefault() : onClick}
    >
      {icon}
      <Words busy={busy} busyLabel={busyLabel}>
        {children}
      </Words>
    </button>
  )
  return refused === undefined ? body : <Hint text={refused}>{body}</Hint>
}
