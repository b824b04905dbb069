import { useMutation, useQuery } from '@tanstack/react-query'
import type { SigningKey } from '../../../../contract/fleet/keys'
import { retireSigningKeyMutation } from '../../../api/mutations/fleet/keys'
import { keyRevocationQuery } from '../../../api/queries/fleet/keys'
import { pluralize } from '../../../lib/pluralize'
import { FailureBox } from '../../../system/failure/failure-box'
import { notKnownText } from '../../../system/form/held-request'
import { useModal } from '../../../system/modals/use-modal'
import { notify } from '../../../system/failure/notify'
import { RevocationStops } from '../../../system/revocation-stops'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import * as Dialog from '../../../ui/overlay/dialog'
import { PanelSkeletons } from '../../../ui/layout/panel'

type Props = { signingKey: SigningKey; projectId: string; onClose: () => void }

/** Retires a key after what only it has signed was shown. */
export const RetireKeyDialog = ({ signingKey, projectId, onClose }: Props) => {
  const { api } = useSystem()
  const { close, cancel, root } = useModal('retire_key', onClose)
  const preview = useQuery(keyRevocationQuery(api, signingKey.id))
  const { mutate, error, isPending } = useMutation({
    ...retireSigningKeyMutation(api, projectId),
    onSettled: (_key, failed) => {
      if (failed) return
      void notify({ kind: 'success', text: `${signingKey.name} was retired` })
      close()
    },
  })
  return (
    <Dialog.Root {...root} role="alertdialog">
      <Dialog.Window
        wide
        title={`Retire ${signingKey.name}?`}
        description="It cannot sign new releases, and new configurations do not contain it. Devices trust it until they take a key list without it. A retired key cannot become active again."
        footer={
          <>
            <Button onClick={cancel}>Cancel</Button>
            <Button variant="danger" busy={isPending} busyLabel="Retiring..." onClick={() => mutate(signingKey.id)}>
              Retire
            </Button>
          </>
        }
      >
        {preview.data ? (
          <RevocationStops
            stops={{ releases: preview.data.releases, rollouts: preview.data.rollouts }}
            none="No release depends on this key alone, so no rollout stops."
          >
            {pluralize(preview.data.releases.length, 'release')} signed only with this key can be installed until then. Devices
            with a key list without it refuse them; their open rollouts wait for these devices.
          </RevocationStops>
        ) : preview.error ? (
          <FailureBox error={preview.error} onRetry={() => void preview.refetch()} />
        ) : (
          <PanelSkeletons rows={2} />
        )}
        {error !== null && <FailureBox error={error} unanswered={notKnownText} />}
      </Dialog.Window>
    </Dialog.Root>
  )
}
