import type { DeviceJob, DeviceJobRow } from '../../contract/fleet/device-jobs'
import { type Cell, facts, table } from '../core/print'

const words = (name: string) => name.replaceAll('_', ' ')
const colours: Readonly<Record<DeviceJob['state'], 'green' | 'yellow' | 'red' | undefined>> = {
  running: undefined,
  done: 'green',
  cancelled: 'yellow',
  stopped: 'red',
}

/** What a job does, such as "add tags roof". */
export const jobText = ({ action, args, undo_of: undone }: Pick<DeviceJob, 'action' | 'args' | 'undo_of'>): string => {
  const { tags, until, project } = args
  const details = [tags?.join(', '), until, project && `to ${project.name}`].filter((one) => one !== undefined)
  return [...(undone === null ? [] : ['undo:']), words(action), ...details].join(' ')
}

export const devicesText = (count: number): string => `${count} ${count === 1 ? 'device' : 'devices'}`

const stateCell = ({ state }: DeviceJob): Cell => ({ text: state, colour: colours[state] })

export const jobTable = (jobs: readonly DeviceJob[]): string =>
  table(
    ['Job', 'State', 'Devices', 'Changed', 'Failed', 'By', 'Started', 'Id'],
    jobs.map((job) => [
      jobText(job),
      stateCell(job),
      job.total,
      job.counts.done,
      job.counts.failed,
      job.created_by.name,
      job.created_at,
      job.id,
    ]),
  )

export const jobFacts = (job: DeviceJob & { first_failures?: readonly DeviceJobRow[] }): string => {
  const { counts, first_failures: failures = [] } = job
  const rows = facts([
    ['Job', jobText(job)],
    ['Id', job.id],
    ['State', stateCell(job)],
    ...(job.stop_reason === null ? [] : [['Reason', job.stop_reason] as const]),
    ['By', job.created_by.name],
    ['Started', job.created_at],
    ['Ended', job.finished_at],
    ['Devices', job.total],
    ...(Object.keys(counts) as (keyof typeof counts)[])
      .filter((result) => counts[result] > 0)
      .map((result) => [result.charAt(0).toUpperCase() + result.slice(1), counts[result]] as const),
    ...(job.undone_by === null ? [] : [['Undone by', job.undone_by] as const]),
  ])
  if (failures.length === 0) return rows
  return `${rows}\n${table(
    ['Device', 'Rule', 'Message'],
    failures.map(({ device, code, message }) => [device.name, code, message]),
  )}`
}
