import { createMemoryHistory, createRouter } from '@tanstack/react-router'
import type { Permission } from '../../contract/permissions'
import { routeTree } from '../../src/route-tree.gen'

/** A route as its file says it. */
export type Route = {
  id: string
  fullPath: string
  parentRoute?: Route
  options: {
    component?: unknown
    staticData?: { needs?: readonly Permission[]; label?: string }
    beforeLoad?: (arrival: unknown) => unknown
  }
}

/** Has something to show; the others lead elsewhere or stand around. */
export const isPage = ({ options }: Route): boolean => options.component !== undefined
export const isIndex = ({ id, options }: Route): boolean => /\/$|^\/\$$/.test(id) && options.component === undefined

/** Every place and every index of the console, by path. */
export const readRoutes = (): Route[] => {
  // Nothing is loaded here, so nothing of the context is asked for; of a route only what `Route` names is read.
  const { routesById } = createRouter({ routeTree, history: createMemoryHistory(), context: {} as never })
  const routes = (Object.values(routesById) as unknown as Route[]).filter((route) => isPage(route) || isIndex(route))
  return routes.filter(({ id }) => id !== '__root__').toSorted((a, b) => (a.fullPath < b.fullPath ? -1 : 1))
}
