import { useMutation } from '@tanstack/react-query'
import type { Artifact } from '../../../contract/updates/secure-boot/artifacts'
import { deleteArtifactMutation } from '../../api/mutations/updates/bundles'
import { formatBytes } from '../../lib/bytes'
import { AskDialog } from '../../system/ask-dialog'
import { useModal } from '../../system/modals/use-modal'
import { useSystem } from '../../system/system'

const consequences: Record<Artifact['state'], string> = {
  expected: 'No bytes of it are stored.',
  uploading: 'Its upload is cancelled and the data sent so far is discarded.',
  ready: 'The bundle must be checked again. To add the file again, upload it again.',
  rejected: 'No bytes of it are stored.',
}

/** Removing uploaded bytes cannot be undone, so it requires a confirmation. */
export const RemovePartDialog = ({ part, onClose }: { part: Artifact; onClose: () => void }) => {
  const { api } = useSystem()
  const modal = useModal('remove_part', onClose)
  const { mutate, error, isPending } = useMutation(deleteArtifactMutation(api))
  return (
    <AskDialog
      modal={modal}
      title={
        <>
          Remove <code>{part.file_name}</code>?
        </>
      }
      text={`${formatBytes(part.size)}. ${consequences[part.state]}`}
      verb="Remove part"
      busyVerb="Removing..."
      busy={isPending}
      error={error}
      onConfirm={() => mutate({ bundleId: part.bundle_id, artifactId: part.id }, { onSuccess: modal.close })}
    />
  )
}
