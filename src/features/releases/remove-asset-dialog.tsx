import { useMutation } from '@tanstack/react-query'
import type { Asset } from '../../../contract/updates/release-assets'
import { deleteAssetMutation } from '../../api/mutations/updates/releases'
import { describeError } from '../../system/failure/describe-error'
import { formatBytes } from '../../lib/bytes'
import { useModal } from '../../system/modals/use-modal'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import * as Dialog from '../../ui/overlay/dialog'
import { Callout } from '../../ui/layout/notice'

const consequences: Partial<Record<Asset['state'], string>> = {
  ready: 'To add it again, upload it again.',
  uploading: 'Its upload is cancelled and the data sent so far is discarded.',
  verifying: 'Its upload is cancelled and the data sent so far is discarded.',
}

/** Removing uploaded bytes cannot be undone, so it requires a confirmation. */
export const RemoveAssetDialog = ({ asset, onClose }: { asset: Asset; onClose: () => void }) => {
  const { api } = useSystem()
  const { close, cancel, root } = useModal('remove_asset', onClose)
  const remove = useMutation(deleteAssetMutation(api))
  const confirm = () => remove.mutate({ releaseId: asset.release_id, assetId: asset.id }, { onSuccess: close })
  return (
    <Dialog.Root {...root} role="alertdialog">
      <Dialog.Window
        title={
          <>
            Remove <code>{asset.name}</code>?
          </>
        }
        description={`${formatBytes(asset.size)}. ${consequences[asset.state] ?? 'No bytes of it are stored.'}`}
        footer={
          <>
            <Button onClick={cancel}>Cancel</Button>
            <Button variant="danger" busy={remove.isPending} busyLabel="Removing..." onClick={confirm}>
              Remove file
            </Button>
          </>
        }
      >
        {remove.error && <Callout kind="error">{describeError(remove.error, 'Nothing was changed')}</Callout>}
      </Dialog.Window>
    </Dialog.Root>
  )
}
