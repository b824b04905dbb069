import type { Command } from 'commander'
import { cancelDeviceJob, deviceJob, deviceJobs, undoDeviceJob } from '../../contract/fleet/device-jobs'
import { online, positive } from '../core/command'
import { confirm } from '../core/confirm'
import { exitCodes } from '../core/exit-codes'
import { readPages } from '../core/pages'
import { note } from '../core/print'
import { devicesText, jobFacts, jobTable, jobText } from './print'
import { runJob } from './wait'

const list = (parent: Command) => {
  const command = parent
    .command('list')
    .description('list the jobs of the last 30 days, newest first')
    .option('--limit <number>', 'how many', positive, 50)
  online<[], { limit: number }>(command, async ({ api, projectId, show }, { limit }) => {
    const params = { projectId: await projectId() }
    const found = await readPages(limit, async (page) => {
      const answer = await api.call(deviceJobs, params, { query: page })
      return { items: answer.jobs, next: answer.next_cursor }
    })
    show(found, () => jobTable(found))
  })
}

const show = (parent: Command) => {
  const command = parent
    .command('show')
    .description('show a job with its results and the first devices that failed')
    .argument('<job>', 'id')
  online<[string], object>(command, async (context, _, jobId) => {
    const found = await context.api.call(deviceJob, { jobId })
    context.show(found, () => jobFacts(found))
  })
}

const cancel = (parent: Command) => {
  const command = parent
    .command('cancel')
    .description('cancel a running job; devices that it has changed stay changed')
    .argument('<job>', 'id')
  online<[string], object>(command, async (context, _, jobId) => {
    const found = await context.api.call(cancelDeviceJob, { jobId })
    context.show(found, () => jobFacts(found))
  })
}

const undo = (parent: Command) => {
  const command = parent
    .command('undo')
    .description('ask, and undo a job that has ended; devices that were changed since are skipped')
    .argument('<job>', 'id')
    .option('--yes', 'undo without asking')
  online<[string], { yes?: boolean }>(command, async (context, { yes }, jobId) => {
    const found = await context.api.call(deviceJob, { jobId })
    if (!(await confirm(`Undo ${jobText(found)} on ${devicesText(found.counts.done)}?`, yes))) {
      note('Nothing was changed')
      return exitCodes.failed
    }
    return runJob(context, () => context.api.call(undoDeviceJob, { jobId }))
  })
}

export const jobCommands = (program: Command): void => {
  const parent = program.command('jobs').description('jobs that change many devices')
  for (const add of [list, show, cancel, undo]) add(parent)
}
