import { eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Plan } from '../../../contract/accounts/plans'
import type { ProjectSettings } from '../../../contract/accounts/projects'
import { organizations } from '../schema/organizations'
import { users } from '../schema/people'
import { projects } from '../schema/projects'
import type { Tx } from '../../core/database/tx'
import { notFound } from '../../core/http/refuse'

export const getProjectSettings = async (tx: Tx, projectId: string): Promise<ProjectSettings> => {
  const [project] = await tx.select({ settings: projects.settings }).from(projects).where(eq(projects.id, projectId))
  return project?.settings ?? notFound()
}

/** The plan whose limits apply to a project: its organization's, or its owner's. */
export const getProjectPlan = async (tx: Tx, projectId: string): Promise<Plan> => {
  const [found] = await tx
    .select({ organization: organizations.plan, person: users.pricingPlan })
    .from(projects)
    .leftJoin(organizations, eq(organizations.id, projects.organizationId))
    .leftJoin(users, eq(users.id, projects.ownerId))
    .where(eq(projects.id, projectId))
  return found?.organization ?? found?.person ?? notFound()
}

/** Lets one caller at a time count and add devices, so that concurrent calls cannot exceed a limit together. */
export const lockProject = async (tx: Tx, projectId: string): Promise<void> => {
  await tx.select({ id: projects.id }).from(projects).where(eq(projects.id, projectId)).for('no key update')
}

/** `contactPollS` inside a query. */
export const contactPollSql = (settings: SQLWrapper, now: Date): SQL => sql`
  greatest((${settings} ->> 'polling_interval_s')::int,
    case when (${settings} -> 'former_polling' ->> 'until')::timestamptz > ${now.toISOString()}::timestamptz
      then (${settings} -> 'former_polling' ->> 'interval_s')::int end)`
