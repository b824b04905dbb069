import { useEffect, useRef } from 'react'
import type { ComponentProps, ReactNode } from 'react'
import { form } from 'styled-system/recipes'
import { Button } from '../button'
import { Callout } from '../notice'

type Props = Omit<ComponentProps<'form'>, 'onSubmit'> & {
  onSubmit: (values: FormData) => void
  /** 600 px at most, unless it may take the whole width. */
  full?: boolean
  dense?: boolean
  /** What is wrong with the whole, above the footer. */
  error?: ReactNode
  /** Changes with every refused attempt, so that the first wrong field is focused once. */
  attempt?: number
  footer: ReactNode
}

/** §5: the browser's own validation is off; the schema speaks, beneath each field. */
export const Form = ({ onSubmit, full, dense, error, attempt = 0, footer, children, ...rest }: Props) => {
  const element = useRef<HTMLFormElement>(null)
  const classes = form()
  useEffect(() => {
    if (attempt > 0) element.current?.querySelector<HTMLElement>('[aria-invalid=true], [data-invalid] button')?.focus()
  }, [attempt])
  return (
    <form
      {...rest}
      ref={element}
      noValidate
      className={classes.root}
      data-full={full || undefined}
      data-dense={dense || undefined}
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit(new FormData(event.currentTarget))
      }}
    >
      {children}
      {error !== undefined && (
        <div role="alert">
          <Callout kind="error">{error}</Callout>
        </div>
      )}
      {footer}
    </form>
  )
}

type FooterProps = {
  submitting?: boolean
  submitLabel?: string
  submittingLabel?: string
  /** Cancel: a button's action, or a link given as a child. */
  onCancel?: () => void
  cancel?: ReactNode
  refused?: string
  sticky?: boolean
  note?: ReactNode
}

/** §4: while submitting the button is disabled and says so. Save first, then Cancel. */
export const FormFooter = ({
  submitting,
  submitLabel = 'Save',
  submittingLabel = 'Saving...',
  onCancel,
  cancel,
  refused,
  sticky,
  note,
}: FooterProps) => {
  const classes = form()
  return (
    <footer className={classes.footer} data-sticky={sticky || undefined}>
      <Button
        type="submit"
        variant="primary"
        disabled={submitting}
        busy={submitting}
        busyLabel={submittingLabel}
        refused={refused}
      >
        {submitLabel}
      </Button>
      {cancel}
      {onCancel && <Button onClick={onCancel}>Cancel</Button>}
      {note !== undefined && <span className={classes.note}>{note}</span>}
    </footer>
  )
}

/** Two fields side by side from 640. */
export const Pair = ({ children }: { children: ReactNode }) => <div className={form().pair}>{children}</div>
