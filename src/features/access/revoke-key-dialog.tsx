import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { SigningKey } from '../../../contract/keys'
import { revokeSigningKeyMutation } from '../../api/mutations/keys'
import { keyRevocationQuery } from '../../api/queries/keys'
import { pluralize } from '../../lib/pluralize'
import { FailureBox } from '../../system/failure-box'
import { useModal } from '../../system/modals/use-modal'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import * as Dialog from '../../ui/dialog'
import { TextField } from '../../ui/form/text-field'
import { PanelSkeletons } from '../../ui/panel'
import { KeyStops } from './key-stops'

/** Revokes a key after what it stops was shown, a reason was given and its name was typed. */
export const RevokeKeyDialog = ({
  signingKey,
  projectId,
  onClose,
}: {
  signingKey: SigningKey
  projectId: string
  onClose: () => void
}) => {
  const { api } = useSystem()
  const { close, root } = useModal('revoke_key', onClose)
  const [typed, setTyped] = useState('')
  const [reason, setReason] = useState('')
  const preview = useQuery(keyRevocationQuery(api, signingKey.id))
  const { mutate, error, isPending } = useMutation({
    ...revokeSigningKeyMutation(api, projectId),
    onSettled: (_key, failed) => failed ?? close(),
  })
  return (
    <Dialog.Root {...root} role="alertdialog">
      <Dialog.Window
        wide
        title={`Revoke ${signingKey.name}?`}
        description="Its signatures no longer count and it can never be used again. Devices are offered nothing that only it has signed, and stop trusting it with the next key list."
        footer={
          <>
            <Button onClick={close}>Cancel</Button>
            <Button
              variant="danger"
              disabled={typed.trim() !== signingKey.name || reason.trim() === ''}
              busy={isPending}
              busyLabel="Revoking..."
              onClick={() => mutate({ signingKeyId: signingKey.id, reason })}
            >
              Revoke key
            </Button>
          </>
        }
      >
        {preview.data ? (
          <KeyStops stops={preview.data}>
            {preview.data.rollouts.length === 0
              ? 'No rollout is open.'
              : `${pluralize(preview.data.rollouts.length, 'rollout')} will be cancelled, and running updates are asked to stop.`}{' '}
            {pluralize(preview.data.releases.length, 'release')} signed only with this key will not be offered any more.
          </KeyStops>
        ) : preview.error ? (
          <FailureBox error={preview.error} onRetry={() => void preview.refetch()} />
        ) : (
          <PanelSkeletons rows={2} />
        )}
        <TextField
          label="Reason"
          required
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          hint="Recorded in the audit log and on the releases."
        />
        <TextField
          label={`Type ${signingKey.name} to confirm`}
          required
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        {error !== null && <FailureBox error={error} />}
      </Dialog.Window>
    </Dialog.Root>
  )
}
