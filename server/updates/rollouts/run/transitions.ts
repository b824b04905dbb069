import type { EventType } from '../../../../contract/accounts/events'
import type { ProjectSettings } from '../../../../contract/accounts/projects'
import { type RolloutMove, rolloutMoves, rolloutStateOf } from '../../../../machines/rollout/rollout.machine'
import type { Tx } from '../../../core/database/tx'
import { emitEvent } from '../../../core/events/emit'
import { refuse } from '../../../core/http/refuse'
import { lockAllShards } from '../offer/counts.repository'
import { type RolloutRow, updateRollout } from '../rows/rollout-rows.repository'
import { insertTimelineEntry } from '../rows/timeline.repository'
import { stopOpenWaves } from '../plan/waves.repository'

/** `settings`: of the project of the rollout. */
export type RolloutContext = { row: RolloutRow; settings: ProjectSettings; now: Date }

export type Moved = {
  now: Date
  /** The text of the timeline entry. */
  text: string
  wave?: number | null
  /** The acting person; null for a time-driven change. */
  by?: string | null
  /** The id of that person, who is not notified. */
  byId?: string
  set?: Partial<Omit<RolloutRow, 'id' | 'phase' | 'revision'>>
}

/** A cancellation and a roll-back are announced once they are complete; pausing and continuing a wave are not. */
const eventOfMove = {
  'rollout.submitted': 'rollout.approval_requested',
  'rollout.approved': 'rollout.approved',
  'rollout.denied': 'rollout.denied',
  'rollout.started': 'rollout.started',
  'gate.passed': 'rollout.wave_passed',
  'gate.waited': 'rollout.waiting_for_user',
  'gate.failed': 'rollout.halted',
  'rollout.halted': 'rollout.halted',
  'rollout.resumed': 'rollout.resumed',
  'targets.ended': 'rollout.completed',
  'cancelling.ended': 'rollout.cancelled',
  'rollback.ended': 'rollout.rolled_back',
  'rollout.expired': 'rollout.expired',
} as const satisfies Partial<Record<RolloutMove, EventType>>

const findEventOfMove = (move: RolloutMove) => (move in eventOfMove ? eventOfMove[move as keyof typeof eventOfMove] : undefined)

type About = Pick<Moved, 'now' | 'text' | 'wave' | 'by' | 'byId'>

/** Emits an event of a rollout: for the bell, mails, webhooks and open pages. */
export const emitRolloutEvent = (
  tx: Tx,
  { id, name, projectId, releaseId: release_id, currentWave }: RolloutRow,
  type: (typeof eventOfMove)[keyof typeof eventOfMove],
  { now, text, wave, by, byId }: About,
): Promise<void> => {
  const data = { rollout: { id, name }, release_id, wave: wave ?? (currentWave || null), text, by: by ?? null }
  return emitEvent(tx, { projectId, type, data, causedBy: byId }, now)
}

/** Final phases: no wave continues after them. */
const stopped = new Set(['denied', 'rolling_back', 'cancelling', 'expired'])

/**
 * Applies a transition of the chart to a rollout, under its lock, with a timeline entry and its event; 409 if the chart has no such
 * transition.
 */
export const transitionRollout = async (tx: Tx, row: RolloutRow, move: RolloutMove, moved: Moved): Promise<RolloutRow> => {
  if (!rolloutMoves.canMove(row.phase, move)) refuse(409, 'conflict', { about: { state: rolloutStateOf(row.phase) } })
  const phase = rolloutMoves.next(row.phase, move)
  const { now, text, wave, by, set } = moved
  // An offer that is being made either ends before this change or sees it.
  if (rolloutMoves.hasTag(row.phase, 'offering') && !rolloutMoves.hasTag(phase, 'offering')) await lockAllShards(tx, row.id)
  // One that has ended is open again while it is rolled back.
  const endedAt = rolloutMoves.hasTag(phase, 'ended') ? now : null
  const after = await updateRollout(tx, row.id, { endedAt, ...set, phase }, now)
  if (stopped.has(phase)) await stopOpenWaves(tx, row.id)
  const type = findEventOfMove(move)
  if (type !== undefined) await emitRolloutEvent(tx, row, type, moved)
  await insertTimelineEntry(tx, row, { at: now, kind: move, text, wave: wave ?? (row.currentWave || null), by: by ?? null })
  return after ?? refuse(404, 'not_found')
}
