import { useQuery } from '@tanstack/react-query'
import { useMatches, useNavigate, useParams } from '@tanstack/react-router'
import { projectsQuery } from '../../../api/queries/accounts/projects'
import { useRouteScope } from '../../../system/scope/scope'
import { useSystem } from '../../../system/system'
import { pageOf } from './steps'

export type Next = { label: string; go: () => void }

/** The next page of the tour: projects, a project, its devices, its releases. */
export const useNext = (): Next | undefined => {
  const { api } = useSystem()
  const navigate = useNavigate()
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  const { scope } = useRouteScope()
  const page = useMatches({ select: (matches) => pageOf(matches.at(-1)?.fullPath ?? '') })
  // Only cached data; the tour requests nothing.
  const { data: projects } = useQuery({ ...projectsQuery(api, scope ?? null), enabled: false })
  const params = { organizationId, projectId }
  const project = '/organizations/$organizationId/projects/$projectId'
  if (page === 'projects') {
    const newest = projects?.at(-1)
    if (!newest) return undefined
    return {
      label: 'Open a project',
      go: () => void navigate({ to: `${project}/monitor`, params: { organizationId, projectId: newest.id }, search: true }),
    }
  }
  if (page === 'project')
    return { label: 'On to Devices', go: () => void navigate({ to: `${project}/devices/list`, params, search: {} }) }
  if (page === 'devices')
    return { label: 'On to Releases', go: () => void navigate({ to: `${project}/releases/list`, params, search: {} }) }
  return undefined
}
