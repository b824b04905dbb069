import { eq, sql } from 'drizzle-orm'
import type { Plan } from '../../../contract/accounts/plans'
import { organizations } from '../../accounts/schema/organizations'
import { users } from '../../accounts/schema/people'
import { projects } from '../../accounts/schema/projects'
import type { Database } from '../../core/database/open'
import type { Tx } from '../../core/database/tx'

/** A partitioned table of telemetry; `minutes`: only those of the fleet's roll-ups, which hours outlive. */
export type Telemetry = { table: string; minutes?: boolean }

/** A statement deletes at most so many rows. */
const rowsAtOnce = 20_000

export const listProjectPlans = (tx: Tx): Promise<{ id: string; plan: Plan }[]> =>
  tx
    .select({ id: projects.id, plan: sql<Plan>`coalesce(${organizations.plan}, ${users.pricingPlan})` })
    .from(projects)
    .leftJoin(organizations, eq(organizations.id, projects.organizationId))
    .leftJoin(users, eq(users.id, projects.ownerId))

/**
 * Creates the partitions of the next days and months, those of each table in a transaction of their own: a roll-up locks several of
 * these tables, and would deadlock with a transaction that locks all of them.
 */
export const makePartitions = async (db: Database, now: Date): Promise<void> => {
  const today = sql`${now.toISOString().slice(0, 10)}::date`
  await db.execute(sql`select make_days('device_logs', ${today} - 1, 9)`)
  await db.execute(sql`select make_days('metric_points', ${today} - 8, 16)`)
  for (const table of ['update_events', 'metric_hours', 'fleet_metrics', 'group_metrics'])
    await db.execute(sql`select make_partitions(${table}, ${today} - 31, 4)`)
}

export const dropPartitions = async (tx: Tx, table: string, before: Date): Promise<void> => {
  await tx.execute(sql`select drop_partitions(${table}, ${before.toISOString()}::timestamptz)`)
}

type Rows = Telemetry & {
  projectId: string
  /** Null: of any time. */
  before: Date | null
  /** Partitions of at most so many days stay: they are dropped as a whole. */
  sparedDays?: number
}

/** Deletes rows of a project in short statements. */
export const deleteRows = async (tx: Tx, { table, minutes = false, projectId, before, sparedDays }: Rows): Promise<void> => {
  const time = before?.toISOString() ?? 'infinity'
  for (let deleted = rowsAtOnce; deleted >= rowsAtOnce;) {
    const { rows } = await tx.execute<{ n: number }>(sql`
      select delete_telemetry(${table}, ${projectId}, ${time}::timestamptz,
        make_interval(days => ${sparedDays ?? null}::int), ${minutes}::bool, ${rowsAtOnce}::int) as n`)
    deleted = rows[0]?.n ?? 0
  }
}

/** Projects that have rows in a table but do not exist any more: one look into the index for each project. */
export const listDeletedProjects = async (tx: Tx, table: string): Promise<string[]> => {
  const name = sql.identifier(table)
  const { rows } = await tx.execute<{ id: string }>(sql`
    with recursive known as (
      select min(project_id) as id from ${name}
      union all
      select (select min(project_id) from ${name} where project_id > known.id) from known where known.id is not null
    )
    select id from known where id is not null and not exists (select from ${projects} where projects.id = known.id)`)
  return rows.map(({ id }) => id)
}

// The columns and the row's head: no line takes less.
const LEAST_BYTES = 130

/** More lines than a project can have; far more if there are many projects. */
export const countLinesAtMost = async (tx: Tx): Promise<number> => {
  const { rows } = await tx.execute<{ bytes: number }>(
    sql`select sum(pg_relation_size(relid))::float8 as bytes from pg_partition_tree('device_logs')`,
  )
  return (rows[0]?.bytes ?? 0) / LEAST_BYTES
}

type Part = { projectId: string; from: Date | null; to: Date | null }

const inside = ({ projectId, from, to }: Part) => sql`project_id = ${projectId}
  and received_at >= ${from?.toISOString() ?? '-infinity'}::timestamptz and received_at < ${to?.toISOString() ?? 'infinity'}::timestamptz`

export const countLines = async (tx: Tx, part: Part): Promise<number> => {
  const { rows } = await tx.execute<{ n: number }>(sql`select count(*)::int as n from device_logs where ${inside(part)}`)
  return rows[0]?.n ?? 0
}

/** When the nth newest line of a part was received. */
export const findTimeOfLine = async (tx: Tx, part: Part, n: number): Promise<Date | undefined> => {
  const { rows } = await tx.execute<{ at: string }>(sql`
    select received_at as at from device_logs where ${inside(part)} order by received_at desc offset ${n - 1} limit 1`)
  return rows[0] && new Date(rows[0].at)
}
