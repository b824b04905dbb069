import type { Tx } from '../../../core/database/tx'
import { type IntegrityDeps, isIntact, rejectDamagedAsset } from './integrity'
import { clearVerified, listReadyAssets } from './repository'

const doubtAgainMs = 600_000

/** Checks the stored files of a release and rejects changed ones. Runs before a transaction: it may read gigabytes. */
export const checkReleaseFiles = async (deps: IntegrityDeps, releaseId: string): Promise<void> => {
  for (const asset of await listReadyAssets(deps.db, releaseId))
    if (!(await isIntact(deps, asset))) await rejectDamagedAsset(deps, asset)
}

/**
 * A device received other bytes than were signed: the next check reads the files of the release again. A file that was read
 * within the last ten minutes is skipped, so that false reports cost little.
 */
export const scheduleFileCheck = async (tx: Tx, releaseId: string, now: Date): Promise<void> => {
  const before = new Date(now.getTime() - doubtAgainMs)
  await clearVerified(tx, releaseId, before)
}
