import { memberPermissionsIn } from '../../../contract/accounts/project-permissions'
import { rolePermissions } from '../../../contract/core/roles'
import type { Tx } from '../../core/database/tx'
import type { OrganizationScope } from '../../core/http/scope'
import { listProjectRoles } from './project-roles.repository'

/**
 * Which projects of an organization a member may know: all by their role, or those in which they have another one. Every role in a
 * project may view it.
 */
export const findViewableProjects = async (
  tx: Tx,
  { id, role }: Pick<OrganizationScope, 'id' | 'role'>,
  userId: string,
): Promise<(projectId: string) => boolean> => {
  if (rolePermissions[role].includes('project:view')) return () => true
  const own = await listProjectRoles(tx, id, [userId])
  const viewable = own.filter((one) => memberPermissionsIn(role, one.role).includes('project:view'))
  const ids = new Set(viewable.map(({ projectId }) => projectId))
  return (projectId) => ids.has(projectId)
}
