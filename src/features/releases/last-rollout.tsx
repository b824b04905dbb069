import type { Release } from '../../../contract/updates/releases'
import { percent } from '../../lib/amounts'
import { rolloutStateDisplay } from '../../lib/status-display'
import { Status } from '../../ui/text/chip'
import { RolloutProgress } from './rollout-progress'

type Props = { name: string; summary: NonNullable<Release['rollout_summary']> }

/** The last rollout of a release: its progress while it is open, then how it ended. */
export const LastRollout = ({ name, summary }: Props) => {
  const { state, active_rollout_id: openId, succeeded, failed, targeted } = summary
  if (openId !== null) return <RolloutProgress name={name} summary={summary} />
  const { shape, word } = rolloutStateDisplay(state)
  return (
    <Status shape={state === 'completed' && failed > 0 ? 'warning' : shape}>
      {/* The devices of one that was rolled back run something else now. */}
      {state === 'rolled_back' ? word : `${word}, ${percent(succeeded, targeted)} %`}
    </Status>
  )
}
