import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { organizationsQuery } from '../../../api/queries/accounts/organizations'
import { projectsQuery } from '../../../api/queries/accounts/projects'
import { useCurrentScope } from '../../../system/scope/current-scope'
import { useRouteScope, scopeToPath } from '../../../system/scope/scope'
import { useSystem } from '../../../system/system'
import { Icon } from '../../../ui/icon/icon'
import type { Item } from './items'

/** The projects of the current organization; on other pages those of the last one. */
export const useProjects = (): Item[] => {
  const { api } = useSystem()
  const router = useRouter()
  const known = useCurrentScope() ?? null
  const scope = useRouteScope().scope ?? known
  const { data: projects = [] } = useQuery(projectsQuery(api, scope))
  return projects.map(({ id, name, description }) => ({
    id: `project-${id}`,
    label: name,
    note: description,
    lead: <Icon name="chip" />,
    verb: 'Open',
    keep: true,
    href: router.buildLocation({
      to: '/organizations/$organizationId/projects/$projectId/monitor',
      params: { organizationId: scopeToPath(scope), projectId: id },
      search: {},
    }).href,
  }))
}

/** Links to the projects of the other organizations. */
export const useOrganizations = (): Item[] => {
  const { api } = useSystem()
  const router = useRouter()
  const { data: organizations = [] } = useQuery(organizationsQuery(api))
  const all = [{ id: null, name: 'No Organization' }, ...organizations.map((one) => ({ id: one.public_id, name: one.name }))]
  if (organizations.length === 0) return []
  return all.map(({ id, name }) => ({
    id: `organization-${scopeToPath(id)}`,
    label: name,
    note: 'its projects',
    lead: <Icon name={id === null ? 'user' : 'org'} />,
    verb: 'Switch',
    href: router.buildLocation({
      to: '/organizations/$organizationId/projects',
      params: { organizationId: scopeToPath(id) },
      search: {},
    }).href,
  }))
}
