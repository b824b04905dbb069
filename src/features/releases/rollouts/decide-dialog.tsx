import { useState } from 'react'
import { css } from 'styled-system/css'
import type { Rollout } from '../../../../contract/rollouts'
import { pluralize } from '../../../lib/pluralize'
import { formatDate, parseTime } from '../../../lib/dates'
import { useModal } from '../../../system/modals/use-modal'
import { Button } from '../../../ui/button'
import * as Dialog from '../../../ui/dialog'
import { TextField } from '../../../ui/form/text-field'
import { StepFailure } from './step-failure'
import { useRolloutStep } from './use-rollout-step'

const describe = ({ start_at, counts: { targeted } }: Rollout, approves: boolean) => {
  if (!approves) return 'No device gets the release. A denied rollout cannot be started; create a new one instead.'
  const start = start_at === null ? null : parseTime(start_at)
  const when = start !== null && start > new Date() ? `at ${formatDate(start)}` : 'at once'
  return `It starts ${when}, for ${pluralize(targeted, 'device')}.`
}

type Props = { rollout: Rollout; decision: 'approve' | 'deny'; onClose: () => void }

/** The approval or denial of the second person, with its consequence. */
export const DecideDialog = ({ rollout, decision, onClose }: Props) => {
  const { close, root } = useModal('decide_rollout', onClose)
  const [comment, setComment] = useState('')
  const { take, error, isPending } = useRolloutStep(rollout.id, close)
  const approves = decision === 'approve'
  const said = rollout.approval?.comment
  const given = comment.trim() === '' ? {} : { comment: comment.trim() }
  return (
    <Dialog.Root {...root}>
      <Dialog.Window
        title={`${approves ? 'Approve' : 'Deny'} ${rollout.name}?`}
        description={describe(rollout, approves)}
        footer={
          <>
            <Button onClick={close}>Cancel</Button>
            <Button
              variant={approves ? 'primary' : 'danger'}
              busy={isPending}
              busyLabel={approves ? 'Approving...' : 'Denying...'}
              onClick={() => take({ action: decision, ...given })}
            >
              {approves ? 'Approve' : 'Deny'}
            </Button>
          </>
        }
      >
        <div className={css({ display: 'grid', gap: '16' })}>
          {said && (
            <p>
              {rollout.approval?.asked_by}: {said}
            </p>
          )}
          <TextField
            label="Comment"
            value={comment}
            maxLength={500}
            onChange={(event) => setComment(event.target.value)}
            hint="Shown on the rollout and recorded in the audit log."
          />
          <StepFailure error={error} />
        </div>
      </Dialog.Window>
    </Dialog.Root>
  )
}
