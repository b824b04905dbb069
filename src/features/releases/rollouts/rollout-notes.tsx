import { Link, useParams } from '@tanstack/react-router'
import { link } from 'styled-system/recipes'
import type { Rollout } from '../../../../contract/rollouts'
import { Callout } from '../../../ui/notice'
import { describeBulkChange } from './bulk-change-text'

const reasonKind = ({ state, with_failures }: Rollout) => {
  if (state === 'halted') return 'error'
  if (state !== 'rolled_back') return 'info'
  return with_failures ? 'warning' : 'success'
}

/** Why a rollout is in its state, what comes `next`, and a change that is still being applied to its devices. */
export const RolloutNotes = ({ rollout, next }: { rollout: Rollout; next: string | undefined }) => {
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  return (
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
      {rollout.rolls_back_id !== null && (
        <Callout kind="info">
          It sends devices back from{' '}
          <Link
            to="/organizations/$organizationId/projects/$projectId/releases/rollouts/$rolloutId"
            params={{ organizationId, projectId, rolloutId: rollout.rolls_back_id }}
            className={link()}
          >
            the rollout that was rolled back
          </Link>
          .
        </Callout>
      )}
      {rollout.bulk_change && <Callout kind="info">{describeBulkChange(rollout.bulk_change)}</Callout>}
    </>
  )
}
