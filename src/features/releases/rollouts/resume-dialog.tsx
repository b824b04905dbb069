import { useState } from 'react'
import { css } from 'styled-system/css'
import { overruleReason } from '../../../../contract/updates/rollout-steps'
import type { Rollout, WaveStatus } from '../../../../contract/updates/rollouts'
import { pluralize } from '../../../lib/pluralize'
import { useModal } from '../../../system/modals/use-modal'
import { Button } from '../../../ui/button'
import * as Dialog from '../../../ui/overlay/dialog'
import { SegmentField } from '../../../ui/form/choice-field'
import { NumberField, TextField } from '../../../ui/form/text-field'
import { Pairs } from '../../../ui/layout/facts'
import { reasonHint, reasonProblem } from '../reason'
import { StepFailure } from './step-failure'
import { useRolloutStep } from './use-rollout-step'

const stack = css({ display: 'grid', gap: '16' })
const pair = css({ display: 'grid', gap: '16', gridTemplateColumns: { base: '1fr', sm: '1fr 1fr' } })

const percentOf = (typed: string) => (/^\d{1,3}$/.test(typed.trim()) && Number(typed) <= 100 ? Number(typed) : null)
const percentProblem = (typed: string) => (percentOf(typed) === null ? 'Enter a whole number from 0 to 100' : undefined)

const change = (before: number, after: number | null) =>
  after === null || after === before ? `${before} %` : `${before} % → ${after} %`

const limitsOf = ({ gate }: WaveStatus, most: number | null, least: number | null) =>
  `failures up to ${change(gate.max_failure_percent, most)}, successes from ${change(gate.min_success_percent, least)}`

const describeSetAside = ({ counts: { failed } }: WaveStatus) =>
  failed === 0
    ? 'The limits apply to updates that end from now on.'
    : `What has failed so far (${pluralize(failed, 'device')}) is not counted: the limits apply to updates that end from now on.`

const describeOffers = ({ counts: { waiting } }: Rollout) =>
  waiting === 0 ? 'No devices are waiting: the rollout continues to its end.' : 'Devices are offered the release again.'

/** Resumes a halted rollout with a reason; the limits stay unless they are changed here. */
export const ResumeDialog = ({ rollout, onClose }: { rollout: Rollout; onClose: () => void }) => {
  const { close, cancel, root } = useModal('resume_rollout', onClose)
  const left = rollout.waves.filter(({ n }) => n >= rollout.current_wave)
  const [wave] = left
  const [reason, setReason] = useState('')
  const [limits, setLimits] = useState<'keep' | 'change'>('keep')
  const [most, setMost] = useState(String(wave?.gate.max_failure_percent ?? ''))
  const [least, setLeast] = useState(String(wave?.gate.min_success_percent ?? ''))
  const [tried, setTried] = useState(false)
  const { take, error, isPending } = useRolloutStep(rollout, close)
  const changes = limits === 'change'
  const [max_failure_percent, min_success_percent] = [percentOf(most), percentOf(least)]
  const isWrong = reasonProblem(reason) ?? (changes ? (percentProblem(most) ?? percentProblem(least)) : undefined)
  const submit = () => {
    setTried(true)
    if (isWrong !== undefined) return
    const changed = changes && max_failure_percent !== null && min_success_percent !== null
    const step = { action: 'resume' as const, reason: reason.trim() }
    take({ ...step, ...(changed && { limits: { max_failure_percent, min_success_percent } }) })
  }
  return (
    <Dialog.Root {...root}>
      <Dialog.Window
        wide
        title={`Resume ${rollout.name}?`}
        description={`${describeOffers(rollout)} ${wave?.state === 'failed' ? describeSetAside(wave) : ''}`}
        footer={
          <>
            <Button onClick={cancel}>Cancel</Button>
            <Button variant="primary" busy={isPending} busyLabel="Resuming..." onClick={submit}>
              Resume
            </Button>
          </>
        }
      >
        <div className={stack}>
          <TextField
            label="Reason"
            required
            value={reason}
            maxLength={overruleReason.max}
            onChange={(event) => setReason(event.target.value)}
            hint={reasonHint}
            error={tried ? reasonProblem(reason) : undefined}
          />
          <SegmentField
            label="Limits"
            items={[
              { value: 'keep', label: 'Keep' },
              { value: 'change', label: 'Change' },
            ]}
            value={limits}
            onValueChange={setLimits}
          />
          {changes && (
            <div className={pair}>
              <NumberField
                label="Failures at most"
                unit="%"
                required
                value={most}
                onChange={(event) => setMost(event.target.value)}
                error={percentProblem(most)}
              />
              <NumberField
                label="Successes at least"
                unit="%"
                required
                value={least}
                onChange={(event) => setLeast(event.target.value)}
                error={percentProblem(least)}
              />
            </div>
          )}
          <Pairs
            facts={left.map((one) => ({
              label: `Wave ${one.n}`,
              value: limitsOf(one, changes ? max_failure_percent : null, changes ? min_success_percent : null),
            }))}
          />
          <StepFailure error={error} />
        </div>
      </Dialog.Window>
    </Dialog.Root>
  )
}
