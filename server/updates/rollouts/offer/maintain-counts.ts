import type { Deps } from '../../../core/deps'
import { addUpCounts, addUpShards, deleteEmptyCounts, findWrongCounts, rebuildCounts } from './counts.repository'

/** Adds up the counts of rollouts, so that they stay short to read. */
export const maintainRolloutCounts = async ({ db }: Pick<Deps, 'db'>): Promise<void> => {
  await addUpCounts(db)
  await addUpShards(db)
  await deleteEmptyCounts(db)
}

/** Compares the counts with the updates themselves and counts anew if they differ. They never should: that is logged. */
export const verifyRolloutCounts = async ({ db, log }: Pick<Deps, 'db' | 'log'>): Promise<void> => {
  const wrong = await db.transaction(async (tx) => findWrongCounts(tx), { isolationLevel: 'repeatable read' })
  if (wrong.length === 0) return
  log.error({ differences: wrong.slice(0, 10) }, 'the kept counts of rollouts were wrong; they are counted anew')
  await db.transaction(rebuildCounts)
}
