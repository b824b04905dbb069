import { findProject } from '../../accounts/projects/repository'
import type { Tx } from '../../core/database/tx'
import { tellOfMovedDevices } from '../devices/steps/tell-moved-out'
import { findDoneName, isMoveBack, type JobRow, updateJob } from './repository'

/** One notice for the whole job, of what it has moved. */
const tellOfMoves = async (tx: Tx, job: JobRow, now: Date): Promise<void> => {
  const [own, other] = [await findProject(tx, job.projectId), await findProject(tx, job.args.project?.id ?? '')]
  if (!own || !other) return
  const [from, goal] = isMoveBack(job) ? [other, own] : [own, other]
  const device = await findDoneName(tx, job.id)
  await tellOfMovedDevices(tx, { from, goal, by: job.maker, count: job.done, device, topic: `move ${job.id}`, now })
}

/** Ends a job. What an undo has not reached can be undone again. */
export const endJob = async (tx: Tx, job: JobRow, state: 'done' | 'cancelled' | 'stopped', now: Date): Promise<JobRow> => {
  const { done, unchanged, failed, skipped, stopReason, undoOf } = job
  if (undoOf !== null && state !== 'done') await updateJob(tx, undoOf, { undoneBy: null }, now)
  if (job.action === 'move' && done > 0) await tellOfMoves(tx, job, now)
  return updateJob(tx, job.id, { done, unchanged, failed, skipped, stopReason, state, finishedAt: now }, now)
}
