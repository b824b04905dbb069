import { type ReactNode, useState } from 'react'
import { isTypedName } from '../lib/typed-name'
import { Button } from '../ui/button'
import * as Dialog from '../ui/overlay/dialog'
import { TextField } from '../ui/form/text-field'
import { FailureBox } from './failure/failure-box'
import { notKnownText } from './form/held-request'
import type { useModal } from './modals/use-modal'

type Props = {
  what: 'key' | 'release' | 'bundle'
  name: string
  description: string
  reasonHint: string
  modal: ReturnType<typeof useModal>
  busy: boolean
  error: Error | null
  onRevoke: (reason: string) => void
  wide?: boolean
  /** What the revocation stops. */
  children?: ReactNode
}

/** A revocation cannot be undone: it needs a reason, and the name typed. */
export const RevokeDialog = ({ what, name, description, reasonHint, modal, busy, error, onRevoke, wide, children }: Props) => {
  const [typed, setTyped] = useState('')
  const [reason, setReason] = useState('')
  return (
    <Dialog.Root {...modal.root} role="alertdialog">
      <Dialog.Window
        {...(wide && { wide })}
        title={`Revoke ${name}?`}
        description={description}
        footer={
          <>
            <Button onClick={modal.cancel}>Cancel</Button>
            <Button
              variant="danger"
              disabled={!isTypedName(typed, name) || reason.trim() === ''}
              busy={busy}
              busyLabel="Revoking..."
              onClick={() => onRevoke(reason)}
            >
              Revoke {what}
            </Button>
          </>
        }
      >
        {children}
        <TextField label="Reason" required value={reason} onChange={(event) => setReason(event.target.value)} hint={reasonHint} />
        <TextField label={`Type ${name} to confirm`} required value={typed} onChange={(event) => setTyped(event.target.value)} />
        {error !== null && <FailureBox error={error} unanswered={notKnownText} />}
      </Dialog.Window>
    </Dialog.Root>
  )
}
