import { type ReactNode, useState } from 'react'
import { isTypedName } from '../lib/typed-name'
import { Button } from '../ui/button'
import { TextField } from '../ui/form/text-field'
import * as Dialog from '../ui/overlay/dialog'
import { ChangeFailure } from './failure/change-failure'
import { notKnownText } from './form/held-request'
import type { useModal } from './modals/use-modal'

type Props = {
  modal: Pick<ReturnType<typeof useModal>, 'cancel' | 'root'>
  title: ReactNode
  /** The consequence. */
  text: ReactNode
  verb: string
  busyVerb: string
  /** Something is lost. */
  danger?: boolean
  wide?: boolean
  /** A name that must be typed first. */
  typedName?: string
  /** Whether all that `children` ask for is there. */
  ready?: boolean
  busy: boolean
  error: unknown
  /** Said when the answer was lost. */
  unanswered?: string
  onConfirm: () => void
  children?: ReactNode
}

/** A question before a change. */
export const AskDialog = ({ modal, title, text, wide, typedName, error, children, ...props }: Props) => {
  const { verb, busyVerb, danger = true, ready = true, busy, unanswered = notKnownText, onConfirm } = props
  const [typed, setTyped] = useState('')
  return (
    <Dialog.Root {...modal.root} role="alertdialog">
      <Dialog.Window
        {...(wide && { wide })}
        title={title}
        description={text}
        footer={
          <>
            <Button onClick={modal.cancel}>Cancel</Button>
            <Button
              variant={danger ? 'danger' : 'primary'}
              disabled={!ready || (typedName !== undefined && !isTypedName(typed, typedName))}
              busy={busy}
              busyLabel={busyVerb}
              onClick={onConfirm}
            >
              {verb}
            </Button>
          </>
        }
      >
        {children}
        {typedName !== undefined && (
          <TextField
            label={`Type ${typedName} to confirm`}
            required
            autoComplete="off"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        )}
        <ChangeFailure error={error} unanswered={unanswered} />
      </Dialog.Window>
    </Dialog.Root>
  )
}
