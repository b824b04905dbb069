import { and, eq, inArray, sql } from 'drizzle-orm'
import { memberPermissionsIn, projectRolePermissions } from '../../../contract/accounts/project-permissions'
import type { Grants } from '../../../contract/core/permissions'
import type { Tx } from '../../core/database/tx'
import { members } from '../schema/organizations'
import { users } from '../schema/people'
import { projectGuests, projectRoles } from '../schema/projects'

export type Maker = { id: string; name: string; grants: Grants }
type Place = { id: string; organizationId: string | null; ownerId: string | null }

/** People with what they may do in a project now: nothing if they have left it. By the rules of `resolveScope`. */
export const findMakers = async (tx: Tx, project: Place, userIds: readonly string[]): Promise<Map<string, Maker>> => {
  if (userIds.length === 0) return new Map()
  const rows = await tx
    .select({ id: users.id, name: users.fullName, base: members.baseRole, own: projectRoles.role, guest: projectGuests.role })
    .from(users)
    .leftJoin(members, and(eq(members.userId, users.id), sql`${members.organizationId} = ${project.organizationId}`))
    .leftJoin(projectRoles, and(eq(projectRoles.userId, users.id), eq(projectRoles.projectId, project.id)))
    .leftJoin(projectGuests, and(eq(projectGuests.userId, users.id), eq(projectGuests.projectId, project.id)))
    .where(inArray(users.id, [...new Set(userIds)]))
  const grantsOf = ({ id, base, own, guest }: (typeof rows)[number]): Grants => {
    if (project.ownerId !== null) return id === project.ownerId ? null : guest ? projectRolePermissions[guest] : []
    return base ? memberPermissionsIn(base, own) : []
  }
  return new Map(rows.map((row) => [row.id, { id: row.id, name: row.name, grants: grantsOf(row) }]))
}
