import { setTimeout as pause } from 'node:timers/promises'
import { cancelDeviceJob, type DeviceJob, type DeviceJobWithFailures, deviceJob } from '../../contract/fleet/device-jobs'
import type { Context } from '../core/context'
import { Refused, Unreachable } from '../core/errors'
import { type ExitCode, exitCodes } from '../core/exit-codes'
import { note } from '../core/print'
import { progressBar } from '../core/progress'
import { devicesText, jobFacts, jobText } from './print'

const everyMs = 1000

const outcomeOf = ({ state, counts }: DeviceJob): ExitCode =>
  state === 'done' && counts.failed === 0 ? exitCodes.done : exitCodes.failed

const noteUndo = ({ can_undo: canUndo, counts, id, total }: DeviceJob) => {
  note(`${counts.done} of ${devicesText(total)} changed`)
  if (canUndo) note(`To undo it: teasel jobs undo ${id}`)
}

/** Cancels a job; one that has ended meanwhile stays as it is. */
const cancel = async ({ api }: Context, jobId: string): Promise<void> => {
  try {
    await api.call(cancelDeviceJob, { jobId })
    note('Cancelled')
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 409) throw error
  }
}

/** A server that does not answer meanwhile ends nothing: the job goes on there. */
const follow = async ({ api }: Context, jobId: string, interrupted: AbortSignal): Promise<DeviceJobWithFailures> => {
  let job = await api.call(deviceJob, { jobId })
  const bar = progressBar(jobText(job), job.total, String)
  let isAway = false
  for (;;) {
    bar.update(job.total - job.counts.waiting)
    if (job.state !== 'running' || interrupted.aborted) break
    await pause(everyMs, undefined, { signal: interrupted }).catch(() => {})
    try {
      job = await api.call(deviceJob, { jobId })
      isAway = false
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error
      if (!isAway) note(`${error.message}; waiting goes on`)
      isAway = true
    }
  }
  bar.end()
  return job
}

/** Starts a job, waits for its end and prints it. The first Ctrl-C cancels the job, also while it is being started. */
export const runJob = async (context: Context, begin: () => Promise<{ job_id: string }>): Promise<ExitCode> => {
  const ends = new AbortController()
  const interrupt = () => ends.abort()
  process.once('SIGINT', interrupt)
  try {
    const { job_id: jobId } = await begin()
    note(`Started the job ${jobId}`)
    let job = await follow(context, jobId, ends.signal)
    if (ends.signal.aborted && job.state === 'running') {
      await cancel(context, jobId)
      job = await context.api.call(deviceJob, { jobId })
    }
    context.show(job, () => jobFacts(job))
    noteUndo(job)
    return outcomeOf(job)
  } finally {
    process.off('SIGINT', interrupt)
  }
}
