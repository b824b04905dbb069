import type { DeviceJob, DeviceJobRow } from '../../../contract/fleet/device-jobs'
import { formatTimestamp, formatTimestampOrNull } from '../../core/timestamps'
import { isMoveBack, type JobDevice, type JobRow } from './repository'

export const canUndo = ({ state, action, done, undoneBy }: JobRow): boolean =>
  state !== 'running' && action !== 'decommission' && done > 0 && undoneBy === null

/** `hidden`: the goal of a move of which the viewer may not know. */
export const jobToJson = (row: JobRow, hidden: ReadonlySet<string> = new Set()): DeviceJob => {
  const { state, total, done, unchanged, failed, skipped } = row
  const { back: _, project, ...others } = row.args
  const args = project && !hidden.has(project.id) ? { ...others, project } : others
  const left = total - done - unchanged - failed - skipped
  const isRunning = state === 'running'
  return {
    id: row.id,
    project_id: row.projectId,
    created_at: formatTimestamp(row.createdAt),
    created_by: { id: row.maker.id, name: row.maker.name, kind: 'user' },
    action: row.action,
    args: { ...args, ...(args.tags && { tags: args.tags.map(({ name }) => name) }) } as DeviceJob['args'],
    state,
    stop_reason: row.stopReason,
    finished_at: formatTimestampOrNull(row.finishedAt),
    total,
    counts: { waiting: isRunning ? left : 0, done, unchanged, failed, skipped, cancelled: isRunning ? 0 : left },
    undo_of: row.undoOf,
    undone_by: row.undoneBy,
    can_undo: canUndo(row),
  }
}

/** A moved device has another id in the other project. */
const placeOf = (job: JobRow, { deviceId, change }: JobDevice) => {
  const goal = job.args.project?.id ?? job.projectId
  const [from, to] = isMoveBack(job) ? [goal, job.projectId] : [job.projectId, goal]
  return change?.field === 'project' ? { id: change.after, project_id: to } : { id: deviceId, project_id: from }
}

export const jobRowToJson = (job: JobRow, row: JobDevice, hidden: ReadonlySet<string>): DeviceJobRow => {
  const { project } = job.args
  const isHidden = project !== undefined && hidden.has(project.id)
  const place = placeOf(job, row)
  return {
    position: row.position,
    device: { ...place, name: row.name, ...(isHidden && { project_id: job.projectId }) },
    result: row.result === 'waiting' && job.state !== 'running' ? 'cancelled' : row.result,
    code: row.code,
    message: isHidden ? (row.message?.replaceAll(project.name, 'the other project') ?? null) : row.message,
  }
}
