import { useMutation } from '@tanstack/react-query'
import type { BundleKey, SecureBootBundle } from '../../../contract/updates/secure-boot/bundles'
import { updateBundleMutation } from '../../api/mutations/updates/bundles'
import { FailureBox } from '../../system/failure/failure-box'
import { notKnownText } from '../../system/form/held-request'
import { useModal } from '../../system/modals/use-modal'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import * as Dialog from '../../ui/overlay/dialog'
import { fieldsOf } from './bundle-form'
import { announceUndo } from './announce-undo'

type Props = { bundle: SecureBootBundle; removed: BundleKey; onClose: () => void }

/** Takes a public key out of a bundle; it can be put back at once. */
export const RemoveKeyDialog = ({ bundle, removed, onClose }: Props) => {
  const { api } = useSystem()
  const { close, cancel, root } = useModal('remove_bundle_key', onClose)
  const { mutate, mutateAsync, error, isPending } = useMutation(updateBundleMutation(api))
  const { keys } = fieldsOf(bundle)
  const remove = () =>
    mutate(
      { bundle, body: { keys: keys.filter(({ slot }) => slot !== removed.slot) } },
      {
        onSuccess: (saved) => {
          close()
          announceUndo(`Key of slot ${removed.slot} removed`, () => mutateAsync({ bundle: saved, body: { keys } }))
        },
      },
    )
  return (
    <Dialog.Root {...root} role="alertdialog">
      <Dialog.Window
        title={`Remove the key of slot ${removed.slot}?`}
        description="Signatures by this key are no longer verified, and the bundle must be checked again. Boards that have its hash keep it."
        footer={
          <>
            <Button onClick={cancel}>Cancel</Button>
            <Button variant="danger" busy={isPending} busyLabel="Removing..." onClick={remove}>
              Remove key
            </Button>
          </>
        }
      >
        {error && <FailureBox error={error} unanswered={notKnownText} />}
      </Dialog.Window>
    </Dialog.Root>
  )
}
