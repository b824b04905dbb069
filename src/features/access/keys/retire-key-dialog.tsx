import { useMutation, useQuery } from '@tanstack/react-query'
import type { SigningKey } from '../../../../contract/fleet/keys'
import { retireSigningKeyMutation } from '../../../api/mutations/fleet/keys'
import { keyRevocationQuery } from '../../../api/queries/fleet/keys'
import { pluralize } from '../../../lib/pluralize'
import { FailureBox } from '../../../system/failure/failure-box'
import { AskDialog } from '../../../system/ask-dialog'
import { useModal } from '../../../system/modals/use-modal'
import { notify } from '../../../system/failure/notify'
import { RevocationStops } from '../../../system/revocation-stops'
import { useSystem } from '../../../system/system'
import { PanelSkeletons } from '../../../ui/layout/panel'

type Props = { signingKey: SigningKey; projectId: string; onClose: () => void }

/** Retires a key after what only it has signed was shown. */
export const RetireKeyDialog = ({ signingKey, projectId, onClose }: Props) => {
  const { api } = useSystem()
  const modal = useModal('retire_key', onClose)
  const preview = useQuery(keyRevocationQuery(api, signingKey.id))
  const { mutate, error, isPending } = useMutation({
    ...retireSigningKeyMutation(api, projectId),
    onSettled: (_key, failed) => {
      if (failed) return
      void notify({ kind: 'success', text: `${signingKey.name} was retired` })
      modal.close()
    },
  })
  return (
    <AskDialog
      modal={modal}
      wide
      title={`Retire ${signingKey.name}?`}
      text="It cannot sign new releases, and new configurations do not contain it. Devices trust it until they take a key list without it. A retired key cannot become active again."
      verb="Retire"
      busyVerb="Retiring..."
      busy={isPending}
      error={error}
      onConfirm={() => mutate(signingKey.id)}
    >
      {preview.data ? (
        <RevocationStops
          stops={{ releases: preview.data.releases, rollouts: preview.data.rollouts }}
          none="No release depends on this key alone, so no rollout stops."
        >
          {pluralize(preview.data.releases.length, 'release')} signed only with this key can be installed until then. Devices with
          a key list without it refuse them; their open rollouts wait for these devices.
        </RevocationStops>
      ) : preview.error ? (
        <FailureBox error={preview.error} onRetry={() => void preview.refetch()} />
      ) : (
        <PanelSkeletons rows={2} />
      )}
    </AskDialog>
  )
}
