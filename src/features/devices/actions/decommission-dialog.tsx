import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Device } from '../../../../contract/fleet/devices'
import { deviceActionMutation } from '../../../api/mutations/fleet/devices'
import { isTypedName } from '../../../lib/typed-name'
import { FailureBox } from '../../../system/failure/failure-box'
import { notKnownText } from '../../../system/form/held-request'
import { useModal } from '../../../system/modals/use-modal'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import * as Dialog from '../../../ui/overlay/dialog'
import { TextField } from '../../../ui/form/text-field'

/** Decommissioning is final: it requires typing the name. */
export const DecommissionDialog = ({ device, onClose }: { device: Device; onClose: () => void }) => {
  const { api } = useSystem()
  const { close, cancel, root } = useModal('decommission_device', onClose)
  const [typed, setTyped] = useState('')
  const { mutate, error, isPending } = useMutation({
    ...deviceActionMutation(api),
    onSettled: (_device, failed) => failed ?? close(),
  })
  return (
    <Dialog.Root {...root} role="alertdialog">
      <Dialog.Window
        title={`Decommission ${device.name}?`}
        description="All its calls are refused and its client stops at the next one, also during an update. Its serial number cannot enroll again while the device is listed. This can never be undone."
        footer={
          <>
            <Button onClick={cancel}>Cancel</Button>
            <Button
              variant="danger"
              disabled={!isTypedName(typed, device.name)}
              busy={isPending}
              busyLabel="Decommissioning..."
              onClick={() => mutate({ device, action: 'decommission' })}
            >
              Decommission
            </Button>
          </>
        }
      >
        <TextField
          label={`Type ${device.name} to confirm`}
          mono
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        {error !== null && <FailureBox error={error} unanswered={notKnownText} />}
      </Dialog.Window>
    </Dialog.Root>
  )
}
