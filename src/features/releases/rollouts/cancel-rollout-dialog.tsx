import { useState } from 'react'
import { css } from 'styled-system/css'
import type { Rollout } from '../../../../contract/rollouts'
import { pluralize } from '../../../lib/pluralize'
import { useModal } from '../../../system/modals/use-modal'
import { Button } from '../../../ui/button'
import * as Dialog from '../../../ui/dialog'
import { SegmentField } from '../../../ui/form/choice-field'
import { TextField } from '../../../ui/form/text-field'
import { StepFailure } from './step-failure'
import { useRolloutStep } from './use-rollout-step'

type Mode = 'stop_new' | 'abort_all'

const describe = ({ counts: { running, succeeded }, started_at }: Rollout) =>
  started_at === null
    ? 'No device has been offered the release, and none will be. A cancelled rollout cannot be started again.'
    : `No new updates start. ${pluralize(succeeded, 'device that has', 'devices that have')} it keep${succeeded === 1 ? 's' : ''} it; ${pluralize(running, 'update is', 'updates are')} running. A cancelled rollout cannot be resumed.`

/** Cancels a rollout for good: running updates finish, or devices are asked to stop. */
export const CancelRolloutDialog = ({ rollout, onClose }: { rollout: Rollout; onClose: () => void }) => {
  const { close, root } = useModal('cancel_rollout', onClose)
  const [mode, setMode] = useState<Mode>('stop_new')
  const [reason, setReason] = useState('')
  const { take, error, isPending } = useRolloutStep(rollout.id, close)
  const given = reason.trim() === '' ? {} : { reason: reason.trim() }
  return (
    <Dialog.Root {...root}>
      <Dialog.Window
        title={`Cancel ${rollout.name}?`}
        description={describe(rollout)}
        footer={
          <>
            <Button onClick={close}>Keep rollout</Button>
            <Button
              variant="danger"
              busy={isPending}
              busyLabel="Cancelling..."
              onClick={() => take({ action: 'cancel', mode, ...given })}
            >
              Cancel rollout
            </Button>
          </>
        }
      >
        <div className={css({ display: 'grid', gap: '16' })}>
          {rollout.counts.running > 0 && (
            <SegmentField
              label="Running updates"
              items={[
                { value: 'stop_new', label: 'Let them finish' },
                { value: 'abort_all', label: 'Ask devices to stop' },
              ]}
              value={mode}
              onValueChange={setMode}
            />
          )}
          <TextField
            label="Reason"
            value={reason}
            maxLength={500}
            onChange={(event) => setReason(event.target.value)}
            hint="Recorded in the audit log."
          />
          <StepFailure error={error} />
        </div>
      </Dialog.Window>
    </Dialog.Root>
  )
}
