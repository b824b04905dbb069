import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { css } from 'styled-system/css'
import type { KeyRevocation, SigningKey } from '../../../contract/keys'
import { revokeSigningKeyMutation } from '../../api/mutations/keys'
import { keyRevocationQuery } from '../../api/queries/keys'
import { pluralize } from '../../lib/pluralize'
import { releaseDisplay, rolloutStateDisplay } from '../../lib/status-display'
import { FailureBox } from '../../system/failure-box'
import { useModal } from '../../system/modals/use-modal'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Status } from '../../ui/chip'
import * as Dialog from '../../ui/dialog'
import { TextField } from '../../ui/form/text-field'
import { Callout } from '../../ui/notice'
import { PanelSkeletons } from '../../ui/panel'

const list = css({ display: 'grid', gap: '4', maxH: '160', overflowY: 'auto' })
const row = css({ display: 'flex', justifyContent: 'space-between', gap: '12' })

/** What the revocation stops, by name. */
const Stops = ({ stops: { releases, rollouts } }: { stops: KeyRevocation }) => {
  if (releases.length === 0 && rollouts.length === 0)
    return <Callout kind="info">No release depends on this key alone, so no rollout stops.</Callout>
  return (
    <>
      <Callout kind="warning">
        {rollouts.length === 0
          ? 'No rollout is open.'
          : `${pluralize(rollouts.length, 'rollout')} will be cancelled, and running updates are asked to stop.`}{' '}
        {pluralize(releases.length, 'release')} signed only with this key will not be offered any more.
      </Callout>
      <ul className={list} aria-label="What stops">
        {rollouts.map(({ id, name, state }) => (
          <li key={id} className={row}>
            <span>Rollout {name}</span>
            <Status shape={rolloutStateDisplay(state).shape}>{rolloutStateDisplay(state).word}</Status>
          </li>
        ))}
        {releases.map(({ id, name, version, display_version, state }) => (
          <li key={id} className={row}>
            <span>
              Release {name} {display_version ?? version}
            </span>
            <Status shape={releaseDisplay(state).shape}>{releaseDisplay(state).word}</Status>
          </li>
        ))}
      </ul>
    </>
  )
}

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
        description="Its signatures no longer count and it can never be used again. Devices keep the key in their device.json, but are offered nothing that only it has signed."
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
          <Stops stops={preview.data} />
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
