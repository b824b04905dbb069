import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Rollout } from '../../../contract/rollouts'
import { rolloutStepMutation } from '../../api/mutations/rollouts'
import { formatCount } from '../../lib/amounts'
import { FailureBox } from '../../system/failure-box'
import { useModal } from '../../system/modals/use-modal'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import * as Dialog from '../../ui/dialog'
import { TextField } from '../../ui/form/text-field'

/** Stops new offers and leads every device that has it back to the release it had before. */
export const RollBackDialog = ({ rollout, onClose }: { rollout: Rollout; onClose: () => void }) => {
  const { api } = useSystem()
  const { close, root } = useModal('roll_back', onClose)
  const [reason, setReason] = useState('')
  const { mutate, error, isPending } = useMutation(rolloutStepMutation(api))
  const { succeeded, running } = rollout.counts
  return (
    <Dialog.Root {...root}>
      <Dialog.Window
        title={`Halt ${rollout.name} and roll back?`}
        description={`No new device starts. ${formatCount(succeeded)} that have it get their former release again; ${formatCount(running)} that are under way finish first.`}
        footer={
          <>
            <Button onClick={close}>Cancel</Button>
            <Button
              variant="danger"
              busy={isPending}
              busyLabel="Rolling back..."
              disabled={reason.trim() === ''}
              onClick={() => mutate({ rolloutId: rollout.id, action: 'rollBack', reason }, { onSuccess: close })}
            >
              Halt and roll back
            </Button>
          </>
        }
      >
        <TextField
          label="Reason"
          required
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          hint="It stands in the audit log."
        />
        {error && <FailureBox error={error} />}
      </Dialog.Window>
    </Dialog.Root>
  )
}
