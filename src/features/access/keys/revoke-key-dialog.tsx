import { useMutation, useQuery } from '@tanstack/react-query'
import type { KeyRevocationStops, SigningKey } from '../../../../contract/fleet/keys'
import { revokeSigningKeyMutation } from '../../../api/mutations/fleet/keys'
import { keyRevocationQuery } from '../../../api/queries/fleet/keys'
import { pluralize } from '../../../lib/pluralize'
import { FailureBox } from '../../../system/failure/failure-box'
import { useModal } from '../../../system/modals/use-modal'
import { RevocationStops } from '../../../system/revocation-stops'
import { RevokeDialog } from '../../../system/revoke-dialog'
import { useSystem } from '../../../system/system'
import { PanelSkeletons } from '../../../ui/layout/panel'

// Loaded together: two files of this size cost a tenth more than one.
export { RetireKeyDialog } from './retire-key-dialog'

const stopTexts = ({ rollouts, releases, bundles }: KeyRevocationStops): string[] => [
  rollouts.length === 0
    ? 'No rollout is open.'
    : `${pluralize(rollouts.length, 'rollout')} will be cancelled, and running updates are asked to stop.`,
  ...(releases.length === 0
    ? []
    : [`${pluralize(releases.length, 'release')} signed only with this key will not be offered any more.`]),
  ...(bundles.length === 0
    ? []
    : [`${pluralize(bundles.length, 'secure boot bundle')} with this key can no longer be written as planned.`]),
]

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
  const modal = useModal('revoke_key', onClose)
  const preview = useQuery(keyRevocationQuery(api, signingKey.id))
  const { mutate, error, isPending } = useMutation({
    ...revokeSigningKeyMutation(api, projectId),
    onSettled: (_key, failed) => failed ?? modal.close(),
  })
  return (
    <RevokeDialog
      wide
      what="key"
      name={signingKey.name}
      description="Its signatures no longer count and it can never be used again. Devices are offered nothing that only it has signed, and stop trusting it with the next key list."
      reasonHint="Recorded in the audit log and on the releases."
      modal={modal}
      busy={isPending}
      error={error}
      onRevoke={(reason) => mutate({ signingKeyId: signingKey.id, reason })}
    >
      {preview.data ? (
        <RevocationStops
          stops={preview.data}
          none="No release depends on this key alone, so no rollout stops, and no secure boot bundle names it."
        >
          {stopTexts(preview.data).join(' ')}
        </RevocationStops>
      ) : preview.error ? (
        <FailureBox error={preview.error} onRetry={() => void preview.refetch()} />
      ) : (
        <PanelSkeletons rows={2} />
      )}
    </RevokeDialog>
  )
}
