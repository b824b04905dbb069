import { useEffect, useRef, useState } from 'react'
import type { ComponentProps, ReactNode } from 'react'
import { css } from 'styled-system/css'
import { form } from 'styled-system/recipes'
import { pluralize } from '../../lib/pluralize'
import { Button } from '../button'
import { Callout } from '../layout/notice'

type Props = Omit<ComponentProps<'form'>, 'onSubmit'> & {
  onSubmit: (values: FormData) => void
  /** Uses the full width instead of at most 600 px. */
  full?: boolean
  dense?: boolean
  /** The error of the whole form, above the footer. */
  error?: ReactNode
  /**
   * Changes with every refused attempt, so that the first wrong field is focused once and all of them are announced to screen
   * readers.
   */
  attempt?: number
  footer: ReactNode
}

const unseen = css({ srOnly: true })

/** Excludes the info icon next to a label, which is no control. */
const wrongControl =
  '[aria-invalid=true], [data-invalid] > :not(:has([data-name])) :is(input:not([type=hidden]), textarea, button)'

/** Names the wrong fields: each field shows its own error. */
const summaryOf = (fields: ParentNode): string => {
  const names = [...fields.querySelectorAll('[data-invalid] > div > * > [data-name]')].map(({ textContent }) => textContent)
  return names.length === 0 ? '' : `${pluralize(names.length, 'field')} to correct: ${names.join(', ')}`
}

/** §5: the browser's own validation is off; the schema's errors are shown beneath each field. */
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
        // The summary belongs to the previous attempt; a new refusal writes it again.
        setSummary('')
        onSubmit(new FormData(event.currentTarget))
      }}
    >
      {attempt !== undefined && (
        <div role="status" className={unseen}>
          {/* A new key lets screen readers announce the same text again. */}
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
  /** The footer of a window: at its end, with the primary button last. */
  inDialog?: boolean
  note?: ReactNode
}

/** §4: while submitting the button is disabled and shows it. On a page Save comes first, then Cancel. */
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

/** Two fields next to each other from 640 px. */
export const Pair = ({ children }: { children: ReactNode }) => <div className={form().pair}>{children}</div>
