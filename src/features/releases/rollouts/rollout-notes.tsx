import { Link, useParams } from '@tanstack/react-router'
import { link } from 'styled-system/recipes'
import type { Rollout } from '../../../../contract/updates/rollouts'
import { formatCount } from '../../../lib/amounts'
import { Callout } from '../../../ui/layout/notice'
import { describeBulkChange } from './bulk-change-text'

const reasonKind = ({ state, with_failures }: Rollout) => {
  if (state === 'halted') return 'error'
  if (state !== 'rolled_back') return 'info'
  return with_failures ? 'warning' : 'success'
}

type Props = { rollout: Rollout; next: string | undefined; wait?: string | undefined }

/** Why a rollout is in its state, what comes `next`, for what a device waits, and a change that is still being applied to its devices. */
export const RolloutNotes = ({ rollout, next, wait }: Props) => {
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
          {wait !== undefined && <p>{wait}.</p>}
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
      {rollout.ways_back.map(({ rollout_id: rolloutId, name, version, display_version: display, returned }) => (
        <Callout key={rolloutId} kind="info">
          <Link
            to="/organizations/$organizationId/projects/$projectId/releases/rollouts/$rolloutId"
            params={{ organizationId, projectId, rolloutId }}
            className={link()}
          >
            {name}
          </Link>{' '}
          sends devices back to {display ?? `v${version}`}: {formatCount(returned)} back.
        </Callout>
      ))}
      {rollout.bulk_change && <Callout kind="info">{describeBulkChange(rollout.bulk_change)}</Callout>}
    </>
  )
}
