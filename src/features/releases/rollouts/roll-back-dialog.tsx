import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { css } from 'styled-system/css'
import type { Rollout } from '../../../../contract/updates/rollouts'
import { rollBackPreviewQuery } from '../../../api/queries/updates/roll-backs'
import { FailureBox } from '../../../system/failure/failure-box'
import { useModal } from '../../../system/modals/use-modal'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import * as Dialog from '../../../ui/overlay/dialog'
import { TextField } from '../../../ui/form/text-field'
import { RollBackFacts } from './roll-back-facts'
import { StepFailure } from './step-failure'
import { useRolloutStep } from './use-rollout-step'

const stack = css({ display: 'grid', gap: '16' })

/** Stops new offers and sends devices back to their previous release; shows first which devices return and which cannot. */
export const RollBackDialog = ({ rollout, onClose }: { rollout: Rollout; onClose: () => void }) => {
  const { api } = useSystem()
  const { close, cancel, root } = useModal('roll_back', onClose)
  const [reason, setReason] = useState('')
  const { take, error, isPending } = useRolloutStep(rollout, close)
  const preview = useQuery(rollBackPreviewQuery(api, rollout.id))
  // The rollout can be stopped even without the preview: a failing release must be stoppable.
  const shown = preview.data !== undefined || preview.error !== null
  const hasEnded = rollout.ended_at !== null
  const act = hasEnded ? 'Roll back' : 'Halt and roll back'
  return (
    <Dialog.Root {...root}>
      <Dialog.Window
        wide
        title={hasEnded ? `Roll ${rollout.name} back?` : `Halt ${rollout.name} and roll back?`}
        description={`${hasEnded ? '' : 'No new updates start. '}Devices with this release return to their previous one, where the signed manifest allows it.`}
        footer={
          <>
            <Button onClick={cancel}>Cancel</Button>
            <Button
              variant="danger"
              busy={isPending}
              busyLabel="Rolling back..."
              disabled={reason.trim() === '' || !shown}
              onClick={() => take({ action: 'rollBack', reason })}
            >
              {act}
            </Button>
          </>
        }
      >
        <div className={stack}>
          {preview.data ? (
            <RollBackFacts preview={preview.data} label={rollout.display_version ?? `v${rollout.version}`} hasEnded={hasEnded} />
          ) : (
            preview.error && <FailureBox error={preview.error} onRetry={() => void preview.refetch()} />
          )}
          <TextField
            label="Reason"
            required
            value={reason}
            onChange={(event) => setReason(event.target.value)}
            hint="Recorded in the audit log."
          />
          <StepFailure error={error} />
        </div>
      </Dialog.Window>
    </Dialog.Root>
  )
}
