import type { Tx } from '../../core/database/tx'
import { type JobRow, updateJob } from './repository'

/** Ends a job. What an undo has not reached can be undone again. */
export const endJob = async (tx: Tx, job: JobRow, state: 'done' | 'cancelled' | 'stopped', now: Date): Promise<JobRow> => {
  const { done, unchanged, failed, skipped, stopReason, undoOf } = job
  if (undoOf !== null && state !== 'done') await updateJob(tx, undoOf, { undoneBy: null }, now)
  return updateJob(tx, job.id, { done, unchanged, failed, skipped, stopReason, state, finishedAt: now }, now)
}
