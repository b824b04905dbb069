import { useMutation } from '@tanstack/react-query'
import type { Artifact } from '../../../contract/updates/secure-boot/artifacts'
import { deleteArtifactMutation } from '../../api/mutations/updates/bundles'
import { formatBytes } from '../../lib/bytes'
import { FailureBox } from '../../system/failure/failure-box'
import { notKnownText } from '../../system/form/held-request'
import { useModal } from '../../system/modals/use-modal'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import * as Dialog from '../../ui/overlay/dialog'

const consequences: Record<Artifact['state'], string> = {
  expected: 'No bytes of it are stored.',
  uploading: 'Its upload is cancelled and the data sent so far is discarded.',
  ready: 'The bundle must be checked again. To add the file again, upload it again.',
  rejected: 'No bytes of it are stored.',
}

/** Removing uploaded bytes cannot be undone, so it requires a confirmation. */
export const RemovePartDialog = ({ part, onClose }: { part: Artifact; onClose: () => void }) => {
  const { api } = useSystem()
  const { close, cancel, root } = useModal('remove_part', onClose)
  const { mutate, error, isPending } = useMutation(deleteArtifactMutation(api))
  return (
    <Dialog.Root {...root} role="alertdialog">
      <Dialog.Window
        title={
          <>
            Remove <code>{part.file_name}</code>?
          </>
        }
        description={`${formatBytes(part.size)}. ${consequences[part.state]}`}
        footer={
          <>
            <Button onClick={cancel}>Cancel</Button>
            <Button
              variant="danger"
              busy={isPending}
              busyLabel="Removing..."
              onClick={() => mutate({ bundleId: part.bundle_id, artifactId: part.id }, { onSuccess: close })}
            >
              Remove part
            </Button>
          </>
        }
      >
        {error && <FailureBox error={error} unanswered={notKnownText} />}
      </Dialog.Window>
    </Dialog.Root>
  )
}
