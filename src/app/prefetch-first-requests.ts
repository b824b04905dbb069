import { organizationsQuery } from '../api/queries/organizations'
import { permissionsQuery } from '../api/queries/permissions'
import { projectQuery, projectsQuery } from '../api/queries/projects'
import { selfQuery } from '../api/queries/self'
import { type Scope, scopeFromPath } from '../system/scope'
import type { System } from '../system/system'
import type { ConsoleRouter } from './router'

const place = /^\/organizations\/([^/]+)\/projects(?:\/([^/]+))?/

/** Where this page load is likely to end: the organization of the address, else the one open last in this browser. */
const likely = ({ remembered }: System): { scope: Scope | undefined; projectId: string | null } => {
  const [, word, projectId] = place.exec(window.location.pathname) ?? []
  return {
    scope: word === undefined ? remembered.hint() : scopeFromPath(word),
    projectId: projectId?.length === 26 ? projectId : null,
  }
}

/**
 * The load plan: with a token in storage the first requests go out side by side, before the router has decided anything.
 * Failures are left to whoever asks for the same thing in earnest.
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

/** The page of this address is fetched beside its data, not after it. */
export const fetchPage = (router: ConsoleRouter): void => {
  const [routes] = router.getMatchedRoutes(window.location.pathname)
  for (const route of routes) void router.loadRouteChunk(route)
}
