import type { Rollout } from '../../../../contract/rollouts'
import { Callout } from '../../../ui/notice'
import { describeBulkChange } from './bulk-change-text'

const reasonKind = ({ state, with_failures }: Rollout) => {
  if (state === 'halted') return 'error'
  if (state !== 'rolled_back') return 'info'
  return with_failures ? 'warning' : 'success'
}

/** Why a rollout is in its state, what comes `next`, and a change that is still being applied to its devices. */
export const RolloutNotes = ({ rollout, next }: { rollout: Rollout; next: string | undefined }) => (
  <>
    {(rollout.state_reason !== null || next !== undefined) && (
      <Callout
        kind={reasonKind(rollout)}
        {...(next !== undefined && rollout.state !== 'halted' && { shape: 'waiting' as const })}
      >
        {rollout.state_reason !== null && <p>{rollout.state_reason}</p>}
        {next !== undefined && <p>{next}.</p>}
      </Callout>
    )}
    {rollout.bulk_change && <Callout kind="info">{describeBulkChange(rollout.bulk_change)}</Callout>}
  </>
)
