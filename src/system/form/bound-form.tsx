import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import { css } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import { Form, FormFooter } from '../../ui/form/form'
import { Callout } from '../../ui/layout/notice'
import { useStakeHolder } from '../../ui/overlay/window-contents'
import { holderOf, type useForm } from './form'
import { describeFailure } from '../failure/failure-text'
import { tryAgainText } from './held-request'
import { useLeaveGuard } from './leave-guard'

// Above a sticky footer.
const inSight = css({ scrollMarginBottom: '64' })
const words = css({ display: 'grid', gap: '4' })

type Bound = Pick<
  ReturnType<typeof useForm<unknown, unknown>>,
  'actor' | 'submitting' | 'attempt' | 'stray' | 'failure' | 'submit' | 'begin' | 'change'
>

type Props = {
  form: Bound
  onCancel?: () => void
  submitLabel?: string
  submittingLabel?: string
  /** Why the user may not save, and who may. */
  refused?: string | undefined
  note?: ReactNode
  full?: boolean
  dense?: boolean
  sticky?: boolean
  inDialog?: boolean
  /** Shown in place of the message for a stale revision (system/three-way). */
  conflict?: ReactNode
  children: ReactNode
}

/**
 * Errors of the server or the schema that no field shows. Rendered after the fields: by then each field has registered its
 * name.
 */
const Refusal = ({ form: { failure, stray }, conflict }: Pick<Props, 'form' | 'conflict'>) => {
  const left = stray()
  const told = useRef<HTMLDivElement>(null)
  const strays = left.length
  // The end of a long form is not visible; a wrong field that is focused takes precedence.
  useEffect(() => {
    if (failure || strays > 0) told.current?.scrollIntoView({ block: 'nearest' })
  }, [failure, strays])
  if (!failure && strays === 0) return null
  const meaning = failure?.failure && describeFailure(failure.failure)
  return (
    <div ref={told} role="alert" className={inSight}>
      <Callout kind={failure?.isUnknown || failure?.isRefused ? 'warning' : 'error'}>
        {(failure?.failure?.code === 'stale_revision' && conflict) || (
          <div className={words}>
            {failure?.title !== undefined && <strong>{failure.title}</strong>}
            {meaning !== undefined && <p>{meaning}</p>}
            {failure?.isUnknown && <p>{tryAgainText}</p>}
            {failure?.failure?.status === 402 && (
              // A new tab, so that typed text stays.
              <a className={link()} href="/account/settings/subscriptions" target="_blank" rel="noreferrer">
                Subscriptions
              </a>
            )}
            {left.map(({ field, message }) => (
              <p key={field}>{message}</p>
            ))}
            {failure?.requestId && <code className={css({ textStyle: 'monoSmall' })}>{failure.requestId}</code>}
          </div>
        )}
      </Callout>
    </div>
  )
}

/**
 * The generic form of §2 on the form chart: Save and Cancel, errors under their fields, a question before unsaved changes are
 * lost.
 */
export const BoundForm = ({
  form,
  onCancel,
  submitLabel,
  submittingLabel,
  refused,
  note,
  full,
  dense,
  sticky,
  inDialog,
  conflict,
  children,
}: Props) => {
  const room = useRef<HTMLDivElement>(null)
  useLeaveGuard(form.actor)
  const holder = useMemo(() => holderOf(form.actor), [form.actor])
  useStakeHolder(holder)
  const element = () => room.current?.querySelector('form') ?? undefined
  useEffect(() => form.begin(new FormData(element())))
  return (
    <div
      ref={room}
      className={css({ pt: '12' })}
      onInput={() => form.change(new FormData(element()))}
      onChange={() => form.change(new FormData(element()))}
    >
      <Form
        onSubmit={form.submit}
        attempt={form.attempt}
        {...(full !== undefined && { full })}
        {...(dense !== undefined && { dense })}
        footer={
          <FormFooter
            submitting={form.submitting}
            {...(submitLabel !== undefined && { submitLabel })}
            {...(submittingLabel !== undefined && { submittingLabel })}
            {...(onCancel && { onCancel })}
            {...(refused !== undefined && { refused })}
            {...(sticky !== undefined && { sticky })}
            {...(inDialog !== undefined && { inDialog })}
            note={note}
          />
        }
      >
        {children}
        <Refusal form={form} conflict={conflict} />
      </Form>
    </div>
  )
}
