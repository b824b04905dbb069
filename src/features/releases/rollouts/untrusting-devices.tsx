import { css } from 'styled-system/css'
import { overruleReason } from '../../../../contract/updates/rollout-steps'
import type { RolloutPreview } from '../../../../contract/updates/rollout-plans'
import { pluralize } from '../../../lib/pluralize'
import { SegmentField } from '../../../ui/form/choice-field'
import { TextField } from '../../../ui/form/text-field'
import { reasonHint } from '../reason'
import { nameDevices } from './untrusting'

export type UntrustingChoice = 'leave_out' | 'include'

type Props = {
  count: number
  sample: RolloutPreview['key_coverage']['missing']
  choice: UntrustingChoice
  onChoose: (choice: UntrustingChoice) => void
  reason: string
  onReason: (reason: string) => void
  error: string | undefined
}

/** Whether devices that trust none of the keys are left out, or included with a reason. */
export const UntrustingDevices = ({ count, sample, choice, onChoose, reason, onReason, error }: Props) => (
  <div className={css({ display: 'grid', gap: '16' })}>
    <SegmentField
      label={`${pluralize(count, 'device does', 'devices do')} not trust the signing key`}
      items={[
        { value: 'leave_out', label: 'Leave out' },
        { value: 'include', label: 'Include' },
      ]}
      value={choice}
      onValueChange={onChoose}
      hint={`${nameDevices(sample, count)}. ${
        choice === 'include'
          ? 'They refuse the release until they trust its key.'
          : 'A device trusts the keys in its configuration.'
      }`}
    />
    {choice === 'include' && (
      <TextField
        label="Reason to include them"
        required
        value={reason}
        maxLength={overruleReason.max}
        onChange={(event) => onReason(event.target.value)}
        hint={reasonHint}
        error={error}
      />
    )}
  </div>
)
