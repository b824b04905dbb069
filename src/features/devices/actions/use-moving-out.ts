import { useQuery } from '@tanstack/react-query'
import { movingOutRefusal } from '../../../../contract/fleet/moving-out'
import { organizationQuery } from '../../../api/queries/accounts/organization'
import { permissionsQuery } from '../../../api/queries/accounts/permissions'
import { projectQuery } from '../../../api/queries/accounts/projects'
import { useRouteScope } from '../../../system/scope/scope'
import { useSystem } from '../../../system/system'

/** A project with its organization; null for the personal space. */
type End = { projectId: string; scope: string | null }

const useEnd = ({ projectId, scope }: End) => {
  const { api } = useSystem()
  const enabled = projectId !== ''
  const { data: project } = useQuery({ ...projectQuery(api, projectId), enabled })
  const { data: organization } = useQuery({ ...organizationQuery(api, scope ?? ''), enabled: enabled && scope !== null })
  const { data: permissions } = useQuery({ ...permissionsQuery(api, scope, projectId), enabled })
  if (!project || !permissions || (scope !== null && !organization)) return undefined
  const requiresApproval = project.settings.require_approval || organization?.settings.require_release_approval === true
  // Of a personal project only its owner knows whose it is.
  const owner = scope ?? (permissions.grants === null ? 'self' : 'others')
  return { name: project.name, owner, ownerName: organization?.name ?? null, requiresApproval, grants: permissions.grants }
}

/** Why devices may not be moved to the chosen project by the rule of two persons; what only the server knows, it refuses. */
export const useMovingOutRefusal = (projectId: string, goal: End): string | undefined => {
  const { scope = null } = useRouteScope()
  const from = useEnd({ projectId, scope })
  const to = useEnd(goal)
  const text = from && to && movingOutRefusal(from, { ...to, hasUnapprovedRollout: false })
  return text === undefined ? undefined : `${text}.`
}
