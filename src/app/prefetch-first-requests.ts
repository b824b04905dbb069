import { organizationsQuery } from '../api/queries/accounts/organizations'
import { permissionsQuery } from '../api/queries/accounts/permissions'
import { projectQuery, projectsQuery } from '../api/queries/accounts/projects'
import { selfQuery } from '../api/queries/accounts/self'
import { type Scope, scopeFromPath } from '../system/scope/scope'
import type { System } from '../system/system'
import type { ConsoleRouter } from './router'

const place = /^\/organizations\/([^/]+)\/projects(?:\/([^/]+))?/

/** The likely scope of this page load: the organization of the URL, otherwise the one used last in this browser. */
const likely = ({ remembered }: System): { scope: Scope | undefined; projectId: string | null } => {
  const [, word, projectId] = place.exec(window.location.pathname) ?? []
  return {
    scope: word === undefined ? remembered.hint() : scopeFromPath(word),
    projectId: projectId?.length === 26 ? projectId : null,
  }
}

/**
 * With a token in storage the first requests are sent in parallel, before the router has decided anything. Failures are left to
 * the later callers of the same queries.
 */
export const prefetchFirstRequests = (system: System): void => {
  const { api, queryClient, session } = system
  if (session.token() === null) return
  void queryClient.prefetchQuery(selfQuery(api))
  void queryClient.prefetchQuery(organizationsQuery(api))
  const { scope, projectId } = likely(system)
  if (scope === undefined) return
  if (scope !== null) void queryClient.prefetchQuery(permissionsQuery(api, scope))
  if (projectId === null) void queryClient.prefetchQuery(projectsQuery(api, scope))
  else {
    void queryClient.prefetchQuery(projectQuery(api, projectId))
    void queryClient.prefetchQuery(permissionsQuery(api, scope, projectId))
  }
}

/** Loads the code of this URL's page in parallel with its data. */
export const fetchPage = (router: ConsoleRouter): void => {
  const [routes] = router.getMatchedRoutes(window.location.pathname)
  for (const route of routes) void router.loadRouteChunk(route)
}
