import { bulkChangeDevices } from '../../contract/fleet/device-jobs'
import { confirm } from '../core/confirm'
import type { Context } from '../core/context'
import { Failed, Usage } from '../core/errors'
import { type ExitCode, exitCodes } from '../core/exit-codes'
import { note } from '../core/print'
import { devicesText } from '../jobs/print'
import { runJob } from '../jobs/wait'
import { countMatching, type FilterOptions } from './filter'
import { deviceTable } from './print'

export type ManyOptions = FilterOptions & { yes?: boolean; dryRun?: boolean }
type Tags = { add: readonly string[]; remove: readonly string[] }

/** Adds tags to all devices of a filter, or removes them, by a job. */
export const tagMany = async (context: Context, { yes, dryRun, ...options }: ManyOptions, tags: Tags): Promise<ExitCode> => {
  if (tags.add.length > 0 && tags.remove.length > 0)
    throw new Usage('With --all-matching either --add or --remove: each is a job of its own, which can be undone')
  const isAdding = tags.add.length > 0
  const names = [...new Set(isAdding ? tags.add : tags.remove)]
  const { filter, count, first } = await countMatching(context, options)
  if (dryRun) {
    context.show(
      { dry_run: true, count, first },
      () => `${devicesText(count)} match${count === 1 ? 'es' : ''}\n${deviceTable(first)}`,
    )
    return exitCodes.done
  }
  if (count === 0) throw new Failed('No device matches')
  const change = isAdding ? `Add ${names.join(', ')} to` : `Remove ${names.join(', ')} from`
  if (!(await confirm(`${change} ${devicesText(count)}?`, yes))) {
    note('Nothing was changed')
    return exitCodes.failed
  }
  const body = {
    selection: { filter },
    expected_count: count,
    action: isAdding ? ('add_tags' as const) : ('remove_tags' as const),
    args: { tags: names },
  }
  const projectId = await context.projectId()
  return runJob(context, () => context.api.call(bulkChangeDevices, { projectId }, { body }))
}
