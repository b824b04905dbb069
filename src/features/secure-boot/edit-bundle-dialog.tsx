import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import type { SecureBootBundle } from '../../../contract/updates/secure-boot/bundles'
import { signingKeysQuery } from '../../api/queries/fleet/keys'
import { FailureBox } from '../../system/failure/failure-box'
import { lazyPart } from '../../system/page/lazy'
import { useModal } from '../../system/modals/use-modal'
import { useSystem } from '../../system/system'
import * as Dialog from '../../ui/overlay/dialog'
import { PanelSkeletons } from '../../ui/layout/panel'
import { isEditable } from './bundle-display'

const EditBundleForm = lazyPart(() => import('./edit-bundle-form').then((part) => part.EditBundleForm))

/** All fields of a bundle that no device has; of a later one its description. */
export const EditBundleDialog = ({ bundle, onClose }: { bundle: SecureBootBundle; onClose: () => void }) => {
  const { api } = useSystem()
  const { close, cancel, root } = useModal('edit_bundle', onClose)
  const { data, error, refetch } = useQuery(signingKeysQuery(api, bundle.project_id))
  return (
    <Dialog.Root {...root}>
      <Dialog.Window
        wide
        title={`Edit ${bundle.name}`}
        description={
          isEditable(bundle.state)
            ? 'After a change the bundle must be checked again.'
            : 'Only the description can be changed: the rest is what devices have.'
        }
      >
        {data ? (
          <Suspense fallback={<PanelSkeletons rows={4} />}>
            <EditBundleForm bundle={bundle} signingKeys={data} close={close} cancel={cancel} />
          </Suspense>
        ) : error ? (
          <FailureBox error={error} onRetry={() => void refetch()} />
        ) : (
          <PanelSkeletons rows={4} />
        )}
      </Dialog.Window>
    </Dialog.Root>
  )
}
