import { eq, sql } from 'drizzle-orm'
import type { Plan } from '../../../contract/plans'
import { organizations } from '../../accounts/schema/organizations'
import { users } from '../../accounts/schema/people'
import { projects } from '../../accounts/schema/projects'
import type { Tx } from '../../core/database/tx'

/** Rows of a table that are kept for a time: `column` is their time, `where` selects a part of the table. */
export type Retained = { table: string; column: string; where?: string }

export const listProjectPlans = (tx: Tx): Promise<{ id: string; plan: Plan }[]> =>
  tx
    .select({ id: projects.id, plan: sql<Plan>`coalesce(${organizations.plan}, ${users.pricingPlan})` })
    .from(projects)
    .leftJoin(organizations, eq(organizations.id, projects.organizationId))
    .leftJoin(users, eq(users.id, projects.ownerId))

/** Creates the partitions of the next weeks and months. */
export const makePartitions = async (tx: Tx, now: Date): Promise<void> => {
  await tx.execute(sql`select make_telemetry_partitions(${now.toISOString().slice(0, 10)}::date)`)
}

export const dropPartitions = async (tx: Tx, table: string, before: Date): Promise<void> => {
  await tx.execute(sql`select drop_partitions(${table}, ${before.toISOString()}::timestamptz)`)
}

export const deleteOlder = async (tx: Tx, { table, column, where }: Retained, projectId: string, before: Date): Promise<void> => {
  const only = where === undefined ? sql`` : sql` and ${sql.raw(where)}`
  await tx.execute(sql`
    delete from ${sql.identifier(table)} where project_id = ${projectId} and ${sql.identifier(column)} < ${before.toISOString()}::timestamptz${only}`)
}

export const deleteOfDeletedProjects = async (tx: Tx, table: string): Promise<void> => {
  await tx.execute(sql`delete from ${sql.identifier(table)} where not exists (select from ${projects} where id = project_id)`)
}

/**
 * Deletes the oldest log lines of a project that has more than `most`. Lines of the same time are deleted together, so a project
 * can keep up to a batch more.
 */
export const deleteLinesBeyond = async (tx: Tx, projectId: string, most: number): Promise<void> => {
  await tx.execute(sql`
    delete from device_logs where project_id = ${projectId} and received_at < (
      select received_at from device_logs where project_id = ${projectId}
      order by received_at desc offset ${most - 1} limit 1)`)
}
