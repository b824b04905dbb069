import type { Rollout } from '../../../../contract/updates/rollouts'
import { formatCount } from '../../../lib/amounts'
import { Pairs } from '../../../ui/layout/facts'
import { Panel } from '../../../ui/layout/panel'
import { DateTime } from '../../../ui/text/time'
import { describeRetries, describeTarget } from './plan-text'

const windowText = ({ window }: Rollout) => {
  if (window === null) return 'Any time'
  const days = window.days.length === 7 ? 'Daily' : window.days.map((day) => day[0]?.toUpperCase() + day.slice(1)).join(', ')
  return `${days}, ${window.from} to ${window.to}, ${window.zone === 'device' ? 'device time' : window.zone}`
}

/** What the rollout was created with. */
export const RolloutPlan = ({ rollout }: { rollout: Rollout }) => {
  const { approval } = rollout
  const facts = [
    { label: 'Target', value: describeTarget(rollout.target).join('; ') },
    {
      label: 'Devices',
      value:
        rollout.membership === 'dynamic'
          ? 'Matching devices join later, and stay when they no longer match'
          : `${formatCount(rollout.counts.targeted)}, no others join`,
    },
    { label: 'Maintenance window', value: windowText(rollout) },
    ...(rollout.start_at === null ? [] : [{ label: 'Start', value: <DateTime value={rollout.start_at} /> }]),
    ...(rollout.end_at === null ? [] : [{ label: 'End', value: <DateTime value={rollout.end_at} /> }]),
    { label: 'At the same time', value: `${formatCount(rollout.max_concurrent)} devices at most` },
    ...(rollout.start_rate_per_min === null
      ? []
      : [{ label: 'Start rate', value: `${formatCount(rollout.start_rate_per_min)} per minute` }]),
    { label: 'Retries', value: describeRetries(rollout) },
    { label: 'If a gate fails', value: rollout.on_failure === 'halt' ? 'Halt' : 'Halt and roll back' },
    { label: 'Priority', value: formatCount(rollout.priority) },
    ...(rollout.allow_downgrade === null ? [] : [{ label: 'Downgrade allowed', value: rollout.allow_downgrade.reason }]),
    ...(approval?.asked_by ? [{ label: 'Approval asked by', value: approval.asked_by }] : []),
    ...(approval?.decided_by
      ? [{ label: approval.decision === 'approved' ? 'Approved by' : 'Denied by', value: approval.decided_by }]
      : []),
    ...(approval?.comment ? [{ label: 'Comment', value: approval.comment }] : []),
    {
      label: 'Preview',
      value: <code title={rollout.preview_hash}>{rollout.preview_hash.slice(0, 8)}</code>,
    },
  ]
  return (
    <Panel title="Plan">
      <Pairs facts={facts} />
    </Panel>
  )
}
