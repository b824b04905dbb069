import { and, desc, eq, ne, type SQL } from 'drizzle-orm'
import type { Tx } from '../../../core/database/tx'
import { nextId } from '../../../core/ids'
import { rolloutTimeline } from '../../schema/rollouts'
import type { RolloutRow } from './rollout-rows.repository'

/** Measurements are many and only their last ones are of interest; a change of state is never left out by them. */
const shown = { changes: 1000, measurements: 200 }

type TimelineRow = typeof rolloutTimeline.$inferSelect
type Note = { at: Date; kind: string; text: string; wave?: number | null; by?: string | null }

/** The timeline of a rollout, oldest first: its latest entries. */
export const listTimeline = async (tx: Tx, rolloutId: string): Promise<TimelineRow[]> => {
  const measured = 'gate.measured'
  const newest = (kind: SQL, limit: number) =>
    tx
      .select()
      .from(rolloutTimeline)
      .where(and(eq(rolloutTimeline.rolloutId, rolloutId), kind))
      .orderBy(desc(rolloutTimeline.id))
      .limit(limit)
  const changes = await newest(ne(rolloutTimeline.kind, measured), shown.changes)
  const measurements = await newest(eq(rolloutTimeline.kind, measured), shown.measurements)
  return [...changes, ...measurements].toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

export const insertTimelineEntry = async (
  tx: Tx,
  { id, projectId }: Pick<RolloutRow, 'id' | 'projectId'>,
  entry: Note,
): Promise<void> => {
  const { at, kind, text, wave = null, by = null } = entry
  await tx.insert(rolloutTimeline).values({ id: nextId(at), projectId, rolloutId: id, at, kind, text, wave, by })
}
