import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { failureOf } from '../../api/failure'
import { deleteAccountMutation } from '../../api/mutations/accounts/account-deletion'
import { AskDialog } from '../../system/ask-dialog'
import { useModal } from '../../system/modals/use-modal'
import { useSystem } from '../../system/system'
import { PasswordField } from '../../ui/form/password-field'
import { TextField } from '../../ui/form/text-field'

type Props = { email: string; hasFactor: boolean; onClose: () => void }

/** Asks for the address, the password and the code of two-step sign-in. */
export const DeleteAccountDialog = ({ email, hasFactor, onClose }: Props) => {
  const { api, auth } = useSystem()
  const modal = useModal('delete_account', onClose)
  const remove = useMutation(deleteAccountMutation(api))
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const details = failureOf(remove.error)?.details ?? []
  const errorOf = (name: string) => details.find(({ field }) => field === name)?.message
  const confirm = async () => {
    await remove.mutateAsync({ confirm_email: email, current_password: password, ...(hasFactor && { code }) })
    // The session has ended: this clears what the browser holds of it.
    auth.send({ type: 'signOut.asked' })
  }
  return (
    <AskDialog
      modal={modal}
      title="Delete your account?"
      text="Your sessions and access tokens end at once. The account cannot be restored."
      verb="Delete account"
      busyVerb="Deleting..."
      typedName={email}
      ready={password !== '' && (!hasFactor || code !== '')}
      busy={remove.isPending}
      error={details.length > 0 ? null : remove.error}
      onConfirm={() => void confirm().catch(() => {})}
    >
      <PasswordField
        label="Password"
        required
        autoFocus
        autoComplete="current-password"
        value={password}
        error={errorOf('current_password')}
        onChange={(event) => setPassword(event.target.value)}
      />
      {hasFactor && (
        <TextField
          label="Code"
          required
          mono
          autoComplete="one-time-code"
          hint="From your app, or a recovery code."
          value={code}
          error={errorOf('code')}
          onChange={(event) => setCode(event.target.value)}
        />
      )}
    </AskDialog>
  )
}
