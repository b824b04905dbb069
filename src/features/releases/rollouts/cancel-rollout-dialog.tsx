import { useState } from 'react'
import { css } from 'styled-system/css'
import type { Rollout } from '../../../../contract/updates/rollouts'
import { pluralize } from '../../../lib/pluralize'
import { useModal } from '../../../system/modals/use-modal'
import { Button } from '../../../ui/button'
import * as Dialog from '../../../ui/overlay/dialog'
import { SegmentField } from '../../../ui/form/choice-field'
import { TextField } from '../../../ui/form/text-field'
import { StepFailure } from './step-failure'
import { useRolloutStep } from './use-rollout-step'

type Mode = 'stop_new' | 'abort_all'

const describe = ({ counts: { running, succeeded }, started_at, state }: Rollout) =>
  state === 'cancelling'
    ? `${pluralize(running, 'update is', 'updates are')} still running. Devices are asked to stop; one that has installed the release already keeps it.`
    : started_at === null
      ? 'No device has been offered the release, and none will be. A cancelled rollout cannot be started again.'
      : `No new updates start. ${pluralize(succeeded, 'device that has', 'devices that have')} it keep${succeeded === 1 ? 's' : ''} it; ${pluralize(running, 'update is', 'updates are')} running. A cancelled rollout cannot be resumed.`

/** Cancels a rollout for good: running updates finish, or devices are asked to stop, also later while they finish. */
export const CancelRolloutDialog = ({ rollout, onClose }: { rollout: Rollout; onClose: () => void }) => {
  const { close, cancel, root } = useModal('cancel_rollout', onClose)
  const isLater = rollout.state === 'cancelling'
  const [mode, setMode] = useState<Mode>(isLater ? 'abort_all' : 'stop_new')
  const [reason, setReason] = useState('')
  const { take, error, isPending } = useRolloutStep(rollout, close)
  const given = reason.trim() === '' ? {} : { reason: reason.trim() }
  return (
    <Dialog.Root {...root}>
      <Dialog.Window
        title={isLater ? `Stop the updates of ${rollout.name}?` : `Cancel ${rollout.name}?`}
        description={describe(rollout)}
        footer={
          <>
            <Button onClick={cancel}>{isLater ? 'Let them finish' : 'Keep rollout'}</Button>
            <Button
              variant="danger"
              busy={isPending}
              busyLabel={isLater ? 'Stopping...' : 'Cancelling...'}
              onClick={() => take({ action: 'cancel', mode, ...given })}
            >
              {isLater ? 'Stop running updates' : 'Cancel rollout'}
            </Button>
          </>
        }
      >
        <div className={css({ display: 'grid', gap: '16' })}>
          {!isLater && rollout.counts.running > 0 && (
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
