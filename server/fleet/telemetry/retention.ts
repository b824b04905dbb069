import { and, eq, isNotNull, lt, sql } from 'drizzle-orm'
import { type Plan, planLimits } from '../../../contract/plans'
import type { Database } from '../../core/database/open'
import { deviceCommands, devices, deviceTokens } from '../schema/devices'
import { organizations } from '../../accounts/schema/organizations'
import { users } from '../../accounts/schema/people'
import { projects } from '../../accounts/schema/projects'
import { deviceBoots } from '../schema/telemetry'
import { daysBefore } from '../../core/days'

type Kept = { table: string; column: string; days: (plan: Plan) => number; where?: string }

const kept: readonly Kept[] = [
  { table: 'device_logs', column: 'received_at', days: (plan) => planLimits[plan].log_days },
  { table: 'metric_points', column: 'at', days: (plan) => planLimits[plan].metrics_raw_days },
  { table: 'fleet_metrics', column: 'at', days: (plan) => planLimits[plan].metrics_raw_days, where: 'step_s < 3600' },
  { table: 'fleet_metrics', column: 'at', days: (plan) => planLimits[plan].metrics_hourly_days, where: 'step_s = 3600' },
  { table: 'metric_hours', column: 'at', days: (plan) => planLimits[plan].metrics_hourly_days },
  { table: 'update_events', column: 'received_at', days: () => 365 },
]

const plansOf = async (db: Database): Promise<{ id: string; plan: Plan }[]> =>
  db
    .select({ id: projects.id, plan: sql<Plan>`coalesce(${organizations.plan}, ${users.pricingPlan})` })
    .from(projects)
    .leftJoin(organizations, eq(organizations.id, projects.organizationId))
    .leftJoin(users, eq(users.id, projects.ownerId))

/** Drops whole partitions (weeks and months) that are older than every plan's retention. */
const dropOld = async (db: Database, now: Date) => {
  for (const table of new Set(kept.map((one) => one.table))) {
    const longest = Math.max(...kept.filter((one) => one.table === table).map(({ days }) => days('production')))
    await db.execute(sql`select drop_partitions(${table}, ${daysBefore(now, longest).toISOString()}::timestamptz)`)
  }
}

/** Deletes rows older than their project's retention, and rows of deleted projects. */
const deleteOld = async (db: Database, now: Date) => {
  const all = await plansOf(db)
  for (const { table, column, days, where } of kept) {
    const name = sql.identifier(table)
    const only = where === undefined ? sql`` : sql` and ${sql.raw(where)}`
    for (const { id, plan } of all)
      await db.execute(sql`
        delete from ${name} where project_id = ${id} and ${sql.identifier(column)} < ${daysBefore(now, days(plan)).toISOString()}::timestamptz${only}`)
    await db.execute(sql`delete from ${name} where not exists (select from ${projects} where id = project_id)`)
  }
}

/**
 * Deletes the oldest lines of projects that have more than their plan keeps. Lines of the same time are deleted together, so a
 * project can keep up to a batch more.
 */
const deleteLinesBeyondPlan = async (db: Database) => {
  for (const { id, plan } of await plansOf(db))
    await db.execute(sql`
      delete from device_logs where project_id = ${id} and received_at < (
        select received_at from device_logs where project_id = ${id}
        order by received_at desc offset ${planLimits[plan].log_lines - 1} limit 1)`)
}

const gone = 30
const commandsKept = 90

/** Applies retention, and creates the next partitions; to be run each day. */
export const applyRetention = async (db: Database, now: Date): Promise<void> => {
  await db.execute(sql`select make_telemetry_partitions(${now.toISOString().slice(0, 10)}::date)`)
  await dropOld(db, now)
  await deleteOld(db, now)
  await deleteLinesBeyondPlan(db)
  await db.delete(devices).where(and(isNotNull(devices.deletedAt), lt(devices.deletedAt, daysBefore(now, gone))))
  await db.delete(deviceTokens).where(and(isNotNull(deviceTokens.expiresAt), lt(deviceTokens.expiresAt, now)))
  await db.delete(deviceCommands).where(lt(deviceCommands.createdAt, daysBefore(now, commandsKept)))
  await db.delete(deviceBoots).where(lt(deviceBoots.seenAt, daysBefore(now, commandsKept)))
}
