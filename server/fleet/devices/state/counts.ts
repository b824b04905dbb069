import type { Deps } from '../../../core/deps'
import { addUpCounts, deleteEmptyCounts, findCountChanges, findWrongCounts, rebuildCounts } from './counts.repository'
import { reviewContacts } from './groups.repository'

const AT_ONCE = 500

/** Keeps the counts short to read: records changed connectivities, in slices that an end of the process leaves done, and adds up; false without a change. */
export const maintainCounts = async ({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<boolean> => {
  while ((await reviewContacts(db, clock(), AT_ONCE)) === AT_ONCE);
  if (!(await findCountChanges(db))) return false
  await addUpCounts(db)
  await deleteEmptyCounts(db)
  return true
}

/** Compares the counts with the devices and counts anew if they differ. They never should: that is logged. */
export const verifyCounts = async ({ db, log }: Pick<Deps, 'db' | 'log'>): Promise<void> => {
  const wrong = await db.transaction(async (tx) => findWrongCounts(tx), { isolationLevel: 'repeatable read' })
  if (wrong.length === 0) return
  log.error({ differences: wrong.slice(0, 10) }, 'the kept counts of devices were wrong; they are counted anew')
  await db.transaction(rebuildCounts)
}
