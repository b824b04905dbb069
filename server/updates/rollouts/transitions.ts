import { and, eq, notInArray } from 'drizzle-orm'
import { nextId } from '../../core/ids'
import type { ProjectSettings } from '../../../contract/projects'
import { type RolloutMove, rolloutMoves, rolloutStateOf } from '../../../machines/rollout/rollout.machine'
import { rollouts, rolloutTimeline, rolloutWaves } from '../schema/rollouts'
import type { Tx } from '../../core/database/tx'
import { rowUpdate } from '../../core/database/row'
import { refuse } from '../../core/http/refuse'

export type RolloutRow = typeof rollouts.$inferSelect
/** `settings`: of the project of the rollout. */
export type RolloutContext = { row: RolloutRow; settings: ProjectSettings; now: Date }

/** The row of a rollout, locked for a change: offers, ticks and people change it one after another. */
export const lockRollout = async (tx: Tx, id: string): Promise<RolloutRow | undefined> => {
  const [row] = await tx.select().from(rollouts).where(eq(rollouts.id, id)).for('update')
  return row
}

type Note = { at: Date; kind: string; text: string; wave?: number | null; by?: string | null }

export const addTimelineEntry = async (
  tx: Tx,
  { id, projectId }: Pick<RolloutRow, 'id' | 'projectId'>,
  entry: Note,
): Promise<void> => {
  const { at, kind, text, wave = null, by = null } = entry
  await tx.insert(rolloutTimeline).values({ id: nextId(at), projectId, rolloutId: id, at, kind, text, wave, by })
}

export type Moved = {
  now: Date
  /** The text of the timeline entry. */
  text: string
  wave?: number | null
  /** The acting person; null for a time-driven change. */
  by?: string | null
  set?: Partial<Omit<RolloutRow, 'id' | 'phase' | 'revision'>>
}

/** Final phases: no wave continues after them. */
const stopped = new Set(['denied', 'rolling_back', 'cancelling', 'expired'])

/**
 * Applies a transition of the chart to a rollout, under its lock, with a timeline entry; 409 if the chart has no such
 * transition.
 */
export const transitionRollout = async (tx: Tx, row: RolloutRow, move: RolloutMove, moved: Moved): Promise<RolloutRow> => {
  if (!rolloutMoves.canMove(row.phase, move)) refuse(409, 'conflict', { about: { state: rolloutStateOf(row.phase) } })
  const phase = rolloutMoves.next(row.phase, move)
  const { now, text, wave, by, set } = moved
  const [after] = await tx
    .update(rollouts)
    .set({ ...rowUpdate(now), ...(rolloutMoves.hasTag(phase, 'ended') && { endedAt: now }), ...set, phase })
    .where(eq(rollouts.id, row.id))
    .returning()
  if (stopped.has(phase)) {
    const open = and(eq(rolloutWaves.rolloutId, row.id), notInArray(rolloutWaves.state, ['passed', 'failed']))
    await tx.update(rolloutWaves).set({ state: 'stopped' }).where(open)
  }
  await addTimelineEntry(tx, row, { at: now, kind: move, text, wave: wave ?? (row.currentWave || null), by: by ?? null })
  return after ?? refuse(404, 'not_found')
}
