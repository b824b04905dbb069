import { useMutation } from '@tanstack/react-query'
import type { BundleKey, SecureBootBundle } from '../../../contract/updates/secure-boot/bundles'
import { updateBundleMutation } from '../../api/mutations/updates/bundles'
import { AskDialog } from '../../system/ask-dialog'
import { useModal } from '../../system/modals/use-modal'
import { useSystem } from '../../system/system'
import { fieldsOf } from './bundle-form'
import { announceUndo } from './announce-undo'

type Props = { bundle: SecureBootBundle; removed: BundleKey; onClose: () => void }

/** Takes a public key out of a bundle; it can be put back at once. */
export const RemoveKeyDialog = ({ bundle, removed, onClose }: Props) => {
  const { api } = useSystem()
  const modal = useModal('remove_bundle_key', onClose)
  const { mutate, mutateAsync, error, isPending } = useMutation(updateBundleMutation(api))
  const { keys } = fieldsOf(bundle)
  const remove = () =>
    mutate(
      { bundle, body: { keys: keys.filter(({ slot }) => slot !== removed.slot) } },
      {
        onSuccess: (saved) => {
          modal.close()
          announceUndo(`Key of slot ${removed.slot} removed`, () => mutateAsync({ bundle: saved, body: { keys } }))
        },
      },
    )
  return (
    <AskDialog
      modal={modal}
      title={`Remove the key of slot ${removed.slot}?`}
      text="Signatures by this key are no longer verified, and the bundle must be checked again. Boards that have its hash keep it."
      verb="Remove key"
      busyVerb="Removing..."
      busy={isPending}
      error={error}
      onConfirm={remove}
    />
  )
}
