import { useMutation } from '@tanstack/react-query'
import type { Device } from '../../../../contract/fleet/devices'
import { deviceActionMutation } from '../../../api/mutations/fleet/devices'
import { AskDialog } from '../../../system/ask-dialog'
import { useModal } from '../../../system/modals/use-modal'
import { useSystem } from '../../../system/system'

/** Decommissioning is final: it requires typing the name. */
export const DecommissionDialog = ({ device, onClose }: { device: Device; onClose: () => void }) => {
  const { api } = useSystem()
  const modal = useModal('decommission_device', onClose)
  const { mutate, error, isPending } = useMutation({
    ...deviceActionMutation(api),
    onSettled: (_device, failed) => failed ?? modal.close(),
  })
  return (
    <AskDialog
      modal={modal}
      title={`Decommission ${device.name}?`}
      text="All its calls are refused and its client stops at the next one, also during an update. Its serial number cannot enroll again while the device is listed. This can never be undone."
      verb="Decommission"
      busyVerb="Decommissioning..."
      typedName={device.name}
      busy={isPending}
      error={error}
      onConfirm={() => mutate({ device, action: 'decommission' })}
    />
  )
}
