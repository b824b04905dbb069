import { lifetimes } from '../../core/lifetimes'
import { deletedDeviceDays } from '../../../contract/devices'
import { type Plan } from '../../../contract/plans'
import { planLimits } from '../../../contract/plan-limits'
import type { Database } from '../../core/database/open'
import { daysBefore } from '../../core/days'
import { deleteCommandsBefore } from '../devices/commands.repository'
import { deleteExpiredDeviceTokens } from '../devices/device-token.repository'
import { deleteDevicesDeletedBefore } from '../devices/repository'
import { deleteBootsSeenBefore } from './boots.repository'
import {
  deleteLinesBeyond,
  deleteOlder,
  deleteOfDeletedProjects,
  dropPartitions,
  listProjectPlans,
  makePartitions,
  type Retained,
} from './retention.repository'

type Kept = Retained & { days: (plan: Plan) => number }

const kept: readonly Kept[] = [
  { table: 'device_logs', column: 'received_at', days: (plan) => planLimits[plan].log_days },
  { table: 'metric_points', column: 'at', days: (plan) => planLimits[plan].metrics_raw_days },
  { table: 'fleet_metrics', column: 'at', days: (plan) => planLimits[plan].metrics_raw_days, where: 'step_s < 3600' },
  { table: 'fleet_metrics', column: 'at', days: (plan) => planLimits[plan].metrics_hourly_days, where: 'step_s = 3600' },
  { table: 'metric_hours', column: 'at', days: (plan) => planLimits[plan].metrics_hourly_days },
  { table: 'update_events', column: 'received_at', days: () => 365 },
]

/** Drops whole partitions (weeks and months) that are older than every plan's retention. */
const dropOld = async (db: Database, now: Date) => {
  for (const table of new Set(kept.map((one) => one.table))) {
    const longest = Math.max(...kept.filter((one) => one.table === table).map(({ days }) => days('production')))
    await dropPartitions(db, table, daysBefore(now, longest))
  }
}

/** Deletes rows older than their project's retention, and rows of deleted projects. */
const deleteOld = async (db: Database, now: Date) => {
  const all = await listProjectPlans(db)
  for (const { days, ...retained } of kept) {
    for (const { id, plan } of all) await deleteOlder(db, retained, id, daysBefore(now, days(plan)))
    await deleteOfDeletedProjects(db, retained.table)
  }
}

/** Deletes the oldest lines of projects that have more than their plan keeps. */
const deleteLinesBeyondPlan = async (db: Database) => {
  for (const { id, plan } of await listProjectPlans(db)) await deleteLinesBeyond(db, id, planLimits[plan].log_lines)
}

/** Applies retention, and creates the next partitions; to be run each day. */
export const applyRetention = async (db: Database, now: Date): Promise<void> => {
  await makePartitions(db, now)
  await dropOld(db, now)
  await deleteOld(db, now)
  await deleteLinesBeyondPlan(db)
  await deleteDevicesDeletedBefore(db, daysBefore(now, deletedDeviceDays))
  await deleteExpiredDeviceTokens(db, now)
  await deleteCommandsBefore(db, daysBefore(now, lifetimes.deviceHistoryDays))
  await deleteBootsSeenBefore(db, daysBefore(now, lifetimes.deviceHistoryDays))
}
