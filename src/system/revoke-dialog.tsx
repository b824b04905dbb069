import { type ReactNode, useState } from 'react'
import { TextField } from '../ui/form/text-field'
import { AskDialog } from './ask-dialog'
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
export const RevokeDialog = ({ what, name, description, reasonHint, onRevoke, children, ...asked }: Props) => {
  const [reason, setReason] = useState('')
  return (
    <AskDialog
      {...asked}
      title={`Revoke ${name}?`}
      text={description}
      verb={`Revoke ${what}`}
      busyVerb="Revoking..."
      typedName={name}
      ready={reason.trim() !== ''}
      onConfirm={() => onRevoke(reason)}
    >
      {children}
      <TextField label="Reason" required value={reason} onChange={(event) => setReason(event.target.value)} hint={reasonHint} />
    </AskDialog>
  )
}
