import { and, eq } from 'drizzle-orm'
import type { BaseRole, ProjectRole } from '../../../contract/core/roles'
import type { Tx } from '../../core/database/tx'
import { members, organizations } from '../schema/organizations'
import { users } from '../schema/people'
import { projectGuests, projects } from '../schema/projects'

type OrganizationKey = { id: string } | { publicId: string }
type Joined = { organization: typeof organizations.$inferSelect; role: BaseRole }

/** An organization with the role that a person has in it; undefined if they are no member. */
export const findJoinedOrganization = async (tx: Tx, userId: string, by: OrganizationKey): Promise<Joined | undefined> => {
  const [found] = await tx
    .select({ organization: organizations, role: members.baseRole })
    .from(organizations)
    .innerJoin(members, and(eq(members.organizationId, organizations.id), eq(members.userId, userId)))
    .where('id' in by ? eq(organizations.id, by.id) : eq(organizations.publicId, by.publicId))
  return found
}

/** A project with the plan of the person who owns it. */
export const findProjectWithPlan = async (tx: Tx, projectId: string) => {
  const [found] = await tx
    .select({ project: projects, plan: users.pricingPlan })
    .from(projects)
    .leftJoin(users, eq(users.id, projects.ownerId))
    .where(eq(projects.id, projectId))
  return found
}

/** The role of a guest in a personal project. */
export const findGuestRole = async (tx: Tx, projectId: string, userId: string): Promise<ProjectRole | undefined> => {
  const [guest] = await tx
    .select({ role: projectGuests.role })
    .from(projectGuests)
    .where(and(eq(projectGuests.projectId, projectId), eq(projectGuests.userId, userId)))
  return guest?.role
}
