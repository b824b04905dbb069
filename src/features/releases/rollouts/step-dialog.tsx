import { useState } from 'react'
import { css } from 'styled-system/css'
import type { Rollout } from '../../../../contract/updates/rollouts'
import type { RolloutStep } from '../../../api/mutations/updates/rollouts'
import { useModal } from '../../../system/modals/use-modal'
import { Button } from '../../../ui/button'
import * as Dialog from '../../../ui/overlay/dialog'
import { TextField } from '../../../ui/form/text-field'
import { useNow } from '../../../ui/text/time'
import { type SimpleStep, stepText } from './step-text'
import { StepFailure } from './step-failure'
import { useRolloutStep } from './use-rollout-step'

/** The step of the API, with the reason or comment where it takes one. */
const toStep = (action: SimpleStep, reason: string): RolloutStep => {
  const given = reason.trim()
  switch (action) {
    case 'pause':
    case 'halt':
    case 'resume':
      return { action, ...(given !== '' && { reason: given }) }
    case 'submit':
      return { action, ...(given !== '' && { comment: given }) }
    case 'startNow':
      return { action: 'start', now: true }
    default:
      return { action }
  }
}

/** Asks before a step of a rollout, with its consequence. */
export const StepDialog = ({ rollout, action, onClose }: { rollout: Rollout; action: SimpleStep; onClose: () => void }) => {
  const { close, cancel, root } = useModal('rollout_step', onClose)
  const [reason, setReason] = useState('')
  const { take, error, isPending } = useRolloutStep(rollout, close)
  const { title, consequence, verb, busyVerb, asks, isDanger } = stepText(action, rollout, useNow())
  return (
    <Dialog.Root {...root}>
      <Dialog.Window
        title={title}
        description={consequence}
        footer={
          <>
            <Button onClick={cancel}>Cancel</Button>
            <Button
              variant={isDanger ? 'danger' : 'primary'}
              busy={isPending}
              busyLabel={busyVerb}
              onClick={() => take(toStep(action, reason))}
            >
              {verb}
            </Button>
          </>
        }
      >
        <div className={css({ display: 'grid', gap: '16' })}>
          {asks !== undefined && (
            <TextField
              label={asks}
              value={reason}
              maxLength={500}
              onChange={(event) => setReason(event.target.value)}
              hint="Shown on the rollout and recorded in the audit log."
            />
          )}
          <StepFailure error={error} />
        </div>
      </Dialog.Window>
    </Dialog.Root>
  )
}
