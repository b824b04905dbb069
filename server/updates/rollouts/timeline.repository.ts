import { asc, eq } from 'drizzle-orm'
import type { Tx } from '../../core/database/tx'
import { nextId } from '../../core/ids'
import { rolloutTimeline } from '../schema/rollouts'
import type { RolloutRow } from './rollout-rows.repository'

const shown = 1000

type TimelineRow = typeof rolloutTimeline.$inferSelect
type Note = { at: Date; kind: string; text: string; wave?: number | null; by?: string | null }

/** The timeline of a rollout, oldest first. */
export const listTimeline = (tx: Tx, rolloutId: string): Promise<TimelineRow[]> =>
  tx.select().from(rolloutTimeline).where(eq(rolloutTimeline.rolloutId, rolloutId)).orderBy(asc(rolloutTimeline.id)).limit(shown)

export const insertTimelineEntry = async (
  tx: Tx,
  { id, projectId }: Pick<RolloutRow, 'id' | 'projectId'>,
  entry: Note,
): Promise<void> => {
  const { at, kind, text, wave = null, by = null } = entry
  await tx.insert(rolloutTimeline).values({ id: nextId(at), projectId, rolloutId: id, at, kind, text, wave, by })
}
