import { useParams } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import { baseRoles, type BaseRole, mayGrant, type ProjectRole, projectRoles } from '../../../contract/roles'
import { permissionsQuery } from '../../api/queries/permissions'
import type { MemberScope } from '../../api/queries/members'
import { useRefusal } from '../../system/grants'
import { useRouteScope } from '../../system/scope'
import { useSystem } from '../../system/system'

export type Role = BaseRole | ProjectRole

/** Whose members the address speaks of: those of a project where it names one, else those of the organization. */
export const homeOf = ({ organizationId = '', projectId }: { organizationId?: string; projectId?: string }): MemberScope =>
  projectId === undefined ? { organizationId } : { projectId }

export const useHome = (): MemberScope => {
  const { organizationId, projectId } = useParams({ strict: false })
  return homeOf({ ...(organizationId !== undefined && { organizationId }), ...(projectId !== undefined && { projectId }) })
}

const organization = '/account/settings/organizations/list/$organizationId' as const
const project = '/organizations/$organizationId/projects/$projectId/members' as const

/** Where lists and forms stand, in the one case and in the other. */
export const placesOf = (home: MemberScope) =>
  'projectId' in home
    ? ({ members: `${project}/list`, invites: `${project}/invites`, add: `${project}/invites/add` } as const)
    : ({ members: `${organization}/members`, invites: `${organization}/invites`, add: `${organization}/invites/add` } as const)

/** Why this person may not manage members here, if so. */
export const useManaging = (): string | undefined => {
  const home = useHome()
  return useRefusal('projectId' in home ? 'project:manage_members' : 'organization:manage_members')
}

const isBase = (role: string | null): role is BaseRole => baseRoles.some((one) => one === role)

/** The roles that this person may give here, the strongest first. */
export const useGrantable = (): readonly Role[] => {
  const { api } = useSystem()
  const home = useHome()
  const { scope } = useRouteScope()
  const own = useQuery({ ...permissionsQuery(api, scope ?? null), enabled: scope !== undefined && !('projectId' in home) })
  if ('projectId' in home) return projectRoles
  const mine = own.data?.baseRole ?? null
  return isBase(mine) ? baseRoles.filter((role) => mayGrant(mine, role)) : []
}
