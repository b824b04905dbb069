import { useMutation } from '@tanstack/react-query'
import type { Asset } from '../../../contract/updates/release-assets'
import { deleteAssetMutation } from '../../api/mutations/updates/releases'
import { formatBytes } from '../../lib/bytes'
import { AskDialog } from '../../system/ask-dialog'
import { useModal } from '../../system/modals/use-modal'
import { useSystem } from '../../system/system'

const consequences: Partial<Record<Asset['state'], string>> = {
  ready: 'To add it again, upload it again.',
  uploading: 'Its upload is cancelled and the data sent so far is discarded.',
  verifying: 'Its upload is cancelled and the data sent so far is discarded.',
}

/** Removing uploaded bytes cannot be undone, so it requires a confirmation. */
export const RemoveAssetDialog = ({ asset, onClose }: { asset: Asset; onClose: () => void }) => {
  const { api } = useSystem()
  const modal = useModal('remove_asset', onClose)
  const { mutate, error, isPending } = useMutation(deleteAssetMutation(api))
  return (
    <AskDialog
      modal={modal}
      title={
        <>
          Remove <code>{asset.name}</code>?
        </>
      }
      text={`${formatBytes(asset.size)}. ${consequences[asset.state] ?? 'No bytes of it are stored.'}`}
      verb="Remove file"
      busyVerb="Removing..."
      busy={isPending}
      error={error}
      onConfirm={() => mutate({ releaseId: asset.release_id, assetId: asset.id }, { onSuccess: modal.close })}
    />
  )
}
