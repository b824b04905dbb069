import { useParams } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import { baseRoles, type BaseRole, mayGrant, type ProjectRole, projectRoles } from '../../../contract/core/roles'
import { permissionsQuery } from '../../api/queries/accounts/permissions'
import type { MemberScope } from '../../api/queries/accounts/members'
import { useRefusal } from '../../system/scope/grants'
import { useRouteScope } from '../../system/scope/scope'
import { useSystem } from '../../system/system'

export type Role = BaseRole | ProjectRole

/** The project of the route if there is one, otherwise its organization. */
export const memberScopeFrom = ({
  organizationId = '',
  projectId,
}: {
  organizationId?: string
  projectId?: string
}): MemberScope => (projectId === undefined ? { organizationId } : { projectId })

export const useMemberScope = (): MemberScope => {
  const { organizationId, projectId } = useParams({ strict: false })
  return memberScopeFrom({
    ...(organizationId !== undefined && { organizationId }),
    ...(projectId !== undefined && { projectId }),
  })
}

const organization = '/account/settings/organizations/list/$organizationId' as const
const project = '/organizations/$organizationId/projects/$projectId/members' as const

/** The paths of lists and forms for either target. */
export const memberRoutes = (scope: MemberScope) =>
  'projectId' in scope
    ? ({ members: `${project}/list`, invites: `${project}/invites`, add: `${project}/invites/add` } as const)
    : ({ members: `${organization}/members`, invites: `${organization}/invites`, add: `${organization}/invites/add` } as const)

/** Why this user may not manage members here; undefined if they may. */
export const useManageRefusal = (): string | undefined => {
  const scope = useMemberScope()
  return useRefusal('projectId' in scope ? 'project:manage_members' : 'organization:manage_members')
}

const isBase = (role: string | null): role is BaseRole => baseRoles.some((one) => one === role)

/** The roles that this user may assign here, highest first. */
export const useGrantable = (): readonly Role[] => {
  const { api } = useSystem()
  const memberScope = useMemberScope()
  const { scope } = useRouteScope()
  const own = useQuery({ ...permissionsQuery(api, scope ?? null), enabled: scope !== undefined && !('projectId' in memberScope) })
  if ('projectId' in memberScope) return projectRoles
  const mine = own.data?.baseRole ?? null
  return isBase(mine) ? baseRoles.filter((role) => mayGrant(mine, role)) : []
}
