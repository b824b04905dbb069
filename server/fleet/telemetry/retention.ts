import { eventDays } from '../../../contract/accounts/events'
import { deleteEventsBefore, deleteEventsOfProject } from '../../core/events/repository'
import { lifetimes } from '../../core/lifetimes'
import { deviceJobDays } from '../../../contract/fleet/device-jobs'
import { deletedDeviceDays } from '../../../contract/fleet/devices'
import { type Plan, plans } from '../../../contract/accounts/plans'
import { planLimits } from '../../../contract/accounts/plan-limits'
import type { Database } from '../../core/database/open'
import { daysBefore } from '../../core/days'
import { deleteJobsBefore } from '../device-jobs/repository'
import { deleteCommandsBefore } from '../devices/steps/commands.repository'
import { deleteExpiredDeviceTokens } from '../devices/device-token.repository'
import { purgeDevicesDeletedBefore } from '../devices/repository'
import { deleteBootsSeenBefore } from './boots.repository'
import {
  countLines,
  countLinesAtMost,
  deleteRows,
  dropPartitions,
  findTimeOfLine,
  listDeletedProjects,
  listProjectPlans,
  makePartitions,
  type Telemetry,
} from './retention.repository'

/** `partDays`: the length of a partition. */
type Kept = Telemetry & { days: (plan: Plan) => number; partDays: number }

const kept: readonly Kept[] = [
  { table: 'device_logs', days: (plan) => planLimits[plan].log_days, partDays: 1 },
  { table: 'metric_points', days: (plan) => planLimits[plan].metrics_raw_days, partDays: 1 },
  { table: 'fleet_metrics', days: (plan) => planLimits[plan].metrics_raw_days, minutes: true, partDays: 31 },
  { table: 'fleet_metrics', days: (plan) => planLimits[plan].metrics_hourly_days, partDays: 31 },
  { table: 'group_metrics', days: (plan) => planLimits[plan].metrics_raw_days, minutes: true, partDays: 31 },
  { table: 'group_metrics', days: (plan) => planLimits[plan].metrics_hourly_days, partDays: 31 },
  { table: 'metric_hours', days: (plan) => planLimits[plan].metrics_hourly_days, partDays: 31 },
  { table: 'update_events', days: () => 365, partDays: 31 },
]
const tables = [...new Set(kept.map(({ table }) => table))]
const longestOf = ({ days }: Kept) => Math.max(...plans.map(days))
const longestOfTable = (table: string) => Math.max(...kept.filter((one) => one.table === table).map(longestOf))

type Project = { id: string; plan: Plan }

/**
 * Deletes rows older than their project's retention. Those that are kept as long as the partitions go with them, except rows in
 * a partition that is longer than usual or is never dropped.
 */
const deleteOld = (
  db: Database,
  { days, partDays, table, minutes = false }: Kept,
  { id: projectId, plan }: Project,
  now: Date,
) => {
  const goesWithPartition = days(plan) === longestOfTable(table)
  const before = daysBefore(now, days(plan))
  return deleteRows(db, { table, minutes, projectId, before, ...(goesWithPartition && { sparedDays: partDays }) })
}

const dayMs = 86_400_000

/**
 * Deletes the oldest lines of a project that has more than its plan keeps. Lines of the same time are deleted together, so it can
 * keep up to a batch more. The lines are counted by days, so that each statement reads one partition.
 */
const deleteLinesBeyond = async (db: Database, { id: projectId, plan }: Project, now: Date) => {
  const { log_days: days, log_lines: most } = planLimits[plan]
  const today = Math.floor(now.getTime() / dayMs) * dayMs
  let left: number = most
  for (let n = 0; n <= days + 1; n++) {
    const from = n > days ? null : new Date(today - n * dayMs)
    const part = { projectId, from, to: n === 0 ? null : new Date(today - (n - 1) * dayMs) }
    const count = await countLines(db, part)
    if (count >= left) {
      const before = await findTimeOfLine(db, part, left)
      if (before) await deleteRows(db, { table: 'device_logs', projectId, before })
      return
    }
    left -= count
  }
}

/**
 * Applies retention, and creates the next partitions; to be run each day. All deletion is in short transactions, so a run that is
 * killed leaves the rest to the next one. A step that fails does not keep the others from running.
 */
export const applyRetention = async (db: Database, now: Date): Promise<void> => {
  const errors: unknown[] = []
  const attempt = async (step: () => Promise<void>) => {
    await step().catch((error: unknown) => errors.push(error))
  }
  await attempt(() => makePartitions(db, now))
  for (const table of tables) {
    await attempt(() => dropPartitions(db, table, daysBefore(now, longestOfTable(table))))
    await attempt(async () => {
      for (const projectId of await listDeletedProjects(db, table)) await deleteRows(db, { table, projectId, before: null })
    })
  }
  await attempt(async () => {
    for (const projectId of await listDeletedProjects(db, 'events')) await deleteEventsOfProject(db, projectId)
  })
  await attempt(() => deleteEventsBefore(db, daysBefore(now, eventDays)))
  const projects = await listProjectPlans(db)
  for (const project of projects) for (const one of kept) await attempt(() => deleteOld(db, one, project, now))
  const mostLines = await countLinesAtMost(db)
  for (const project of projects)
    if (mostLines > planLimits[project.plan].log_lines) await attempt(() => deleteLinesBeyond(db, project, now))
  await attempt(() => purgeDevicesDeletedBefore(db, daysBefore(now, deletedDeviceDays)))
  await attempt(() => deleteJobsBefore(db, daysBefore(now, deviceJobDays)))
  await attempt(() => deleteExpiredDeviceTokens(db, now))
  await attempt(() => deleteCommandsBefore(db, daysBefore(now, lifetimes.deviceHistoryDays)))
  await attempt(() => deleteBootsSeenBefore(db, daysBefore(now, lifetimes.deviceHistoryDays)))
  if (errors.length > 0) throw new AggregateError(errors, 'some steps of retention failed; the next run tries them again')
}
