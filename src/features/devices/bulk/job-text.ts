import type { BulkAction, DeviceJob, RowResult } from '../../../../contract/fleet/device-jobs'
import { formatDate, parseTime } from '../../../lib/dates'
import { pluralize } from '../../../lib/pluralize'
import type { StatusDisplay } from '../../../lib/status-display'

const tagsOf = ({ tags = [] }: DeviceJob['args']) => tags.join(', ')

const words: Record<BulkAction, (args: DeviceJob['args']) => string> = {
  add_tags: (args) => `Add tags ${tagsOf(args)}`,
  remove_tags: (args) => `Remove tags ${tagsOf(args)}`,
  replace_tags: (args) => (args.tags?.length ? `Replace tags by ${tagsOf(args)}` : 'Remove all tags'),
  enable_updates: () => 'Turn updates on',
  disable_updates: () => 'Turn updates off',
  pause_until: ({ until }) => `Pause updates until ${until === undefined ? '–' : formatDate(parseTime(until))}`,
  resume: () => 'Resume updates',
  disable: () => 'Disable',
  enable: () => 'Enable',
  decommission: () => 'Decommission',
  move: ({ project }) => `Move to ${project?.name ?? 'another project'}`,
}

/** What a job does, such as "Add tags roof" or "Undo: Disable". */
export const describeJob = ({ action, args, undo_of }: Pick<DeviceJob, 'action' | 'args' | 'undo_of'>): string =>
  `${undo_of === null ? '' : 'Undo: '}${words[action](args)}`

const states: Record<DeviceJob['state'], StatusDisplay> = {
  running: { shape: 'running', word: 'Running' },
  done: { shape: 'success', word: 'Done' },
  cancelled: { shape: 'none', word: 'Cancelled' },
  stopped: { shape: 'error', word: 'Stopped' },
}

/** A job that has ended with devices that failed or were skipped is not shown as a success. */
export const jobDisplay = ({ state, counts }: Pick<DeviceJob, 'state' | 'counts'>): StatusDisplay => {
  const { failed, skipped } = counts
  if (state !== 'done' || failed + skipped === 0) return states[state]
  const word = failed > 0 ? `Done, ${pluralize(failed, 'device')} failed` : `Done, ${pluralize(skipped, 'device')} skipped`
  return { shape: 'warning', word }
}

export const resultDisplay: Record<RowResult, StatusDisplay> = {
  waiting: { shape: 'waiting', word: 'Waiting' },
  done: { shape: 'success', word: 'Changed' },
  unchanged: { shape: 'none', word: 'Unchanged' },
  failed: { shape: 'error', word: 'Failed' },
  skipped: { shape: 'warning', word: 'Skipped' },
  cancelled: { shape: 'none', word: 'Not reached' },
}
