import { useEffect, useRef, useState } from 'react'
import type { ComponentProps, ReactNode } from 'react'
import { css } from 'styled-system/css'
import { form } from 'styled-system/recipes'
import { pluralize } from '../../lib/pluralize'
import { Button } from '../button'
import { Callout } from '../notice'

type Props = Omit<ComponentProps<'form'>, 'onSubmit'> & {
  onSubmit: (values: FormData) => void
  /** 600 px at most, unless it may take the whole width. */
  full?: boolean
  dense?: boolean
  /** What is wrong with the whole, above the footer. */
  error?: ReactNode
  /** Changes with every refused attempt, so that the first wrong field is focused once and all of them are named to screen readers. */
  attempt?: number
  footer: ReactNode
}

const unseen = css({ srOnly: true })

/** Beside the label stands no control: its info sign is not what is wrong. */
const wrongControl =
  '[aria-invalid=true], [data-invalid] > :not(:has([data-name])) :is(input:not([type=hidden]), textarea, button)'

/** What is wrong, by name: each field says its own error to whoever comes to it. */
const summaryOf = (fields: ParentNode): string => {
  const names = [...fields.querySelectorAll('[data-invalid] > div > * > [data-name]')].map(({ textContent }) => textContent)
  return names.length === 0 ? '' : `${pluralize(names.length, 'field')} to correct: ${names.join(', ')}`
}

/** §5: the browser's own validation is off; the schema speaks, beneath each field. */
export const Form = ({ onSubmit, full, dense, error, attempt, footer, children, ...rest }: Props) => {
  const element = useRef<HTMLFormElement>(null)
  const [summary, setSummary] = useState('')
  const classes = form()
  useEffect(() => {
    if (!attempt || !element.current) return
    element.current.querySelector<HTMLElement>(wrongControl)?.focus()
    setSummary(summaryOf(element.current))
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
        // It is about the attempt before; one that is refused again says what is wrong anew.
        setSummary('')
        onSubmit(new FormData(event.currentTarget))
      }}
    >
      {attempt !== undefined && (
        <div role="status" className={unseen}>
          {/* The same words once more are news after another attempt. */}
          <p key={attempt}>{summary}</p>
        </div>
      )}
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
  /** The foot of a window: at its end, with the primary button last. */
  inDialog?: boolean
  note?: ReactNode
}

/** §4: while submitting the button is disabled and says so. On a page Save comes first, then Cancel. */
export const FormFooter = ({
  submitting,
  submitLabel = 'Save',
  submittingLabel = 'Saving...',
  onCancel,
  cancel,
  refused,
  sticky,
  inDialog,
  note,
}: FooterProps) => {
  const classes = form()
  const leave = (
    <>
      {cancel}
      {onCancel && <Button onClick={onCancel}>Cancel</Button>}
    </>
  )
  return (
    <footer className={classes.footer} data-sticky={sticky || undefined} data-in-dialog={inDialog || undefined}>
      {inDialog && leave}
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
      {!inDialog && leave}
      {note !== undefined && <span className={classes.note}>{note}</span>}
    </footer>
  )
}

/** Two fields side by side from 640. */
export const Pair = ({ children }: { children: ReactNode }) => <div className={form().pair}>{children}</div>
