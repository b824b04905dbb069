import { queryOptions } from '@tanstack/react-query'
import { organizationProjects, personalProjects, project } from '../../../../contract/accounts/projects'
import type { Api } from '../../client'

/** The projects of a scope; null is the personal space (R4). */
export const projectsQuery = (api: Api, scope: string | null) =>
  queryOptions({
    queryKey: ['projects', scope],
    queryFn: async ({ signal, meta }) => {
      if (scope === null) return (await api(personalProjects, {}, { signal })).projects
      return (await api(organizationProjects, { organizationId: scope }, { signal, handledBy: meta?.handledBy })).projects
    },
    meta: scope === null ? {} : { handledBy: 'organization' },
  })

export const projectQuery = (api: Api, projectId: string) =>
  queryOptions({ queryKey: ['project', projectId], queryFn: ({ signal }) => api(project, { projectId }, { signal }) })
