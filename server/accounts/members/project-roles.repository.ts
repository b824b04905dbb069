import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import type { ProjectRole } from '../../../contract/core/roles'
import type { Tx } from '../../core/database/tx'
import { projectRoles, projects } from '../schema/projects'

/** The role of a member in one project of their organization, if it is another one there. */
export const findProjectRole = async (tx: Tx, projectId: string, userId: string): Promise<ProjectRole | null> => {
  const [found] = await tx
    .select({ role: projectRoles.role })
    .from(projectRoles)
    .where(and(eq(projectRoles.projectId, projectId), eq(projectRoles.userId, userId)))
  return found?.role ?? null
}

export type ProjectRoleRow = { userId: string; projectId: string; projectName: string; role: ProjectRole }

/** The roles in single projects of some members, by the names of the projects. */
export const listProjectRoles = (tx: Tx, organizationId: string, userIds: string[]): Promise<ProjectRoleRow[]> =>
  tx
    .select({
      userId: projectRoles.userId,
      projectId: projects.id,
      projectName: projects.name,
      role: projectRoles.role,
    })
    .from(projectRoles)
    .innerJoin(projects, eq(projects.id, projectRoles.projectId))
    .where(and(eq(projectRoles.organizationId, organizationId), inArray(projectRoles.userId, userIds)))
    .orderBy(asc(sql`lower(${projects.name})`), asc(projects.id))

/** Locks the projects that belong to an organization, so that none is transferred meanwhile; answers with their ids. */
export const lockProjectsOf = async (tx: Tx, organizationId: string, projectIds: string[]): Promise<Set<string>> => {
  const rows = await tx
    .select({ id: projects.id })
    .from(projects)
    .where(and(eq(projects.organizationId, organizationId), inArray(projects.id, projectIds)))
    .for('share')
  return new Set(rows.map(({ id }) => id))
}

type Key = { organizationId: string; userId: string; projectId: string }

export const saveProjectRole = async (tx: Tx, key: Key, role: ProjectRole): Promise<void> => {
  await tx
    .insert(projectRoles)
    .values({ ...key, role })
    .onConflictDoUpdate({ target: [projectRoles.projectId, projectRoles.userId], set: { role } })
}

export const deleteProjectRole = async (tx: Tx, { userId, projectId }: Key): Promise<void> => {
  await tx.delete(projectRoles).where(and(eq(projectRoles.projectId, projectId), eq(projectRoles.userId, userId)))
}
