import { createMemoryHistory, createRouter } from '@tanstack/react-router'
import type { Permission } from '../../contract/core/permissions'
import { routeTree } from '../../src/route-tree.gen'

/** A route as defined by its file. */
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

/** Whether it renders something; the others redirect or are layouts. */
export const isPage = ({ options }: Route): boolean => options.component !== undefined
export const isIndex = ({ id, options }: Route): boolean => /\/$|^\/\$$/.test(id) && options.component === undefined

/** Every page and every index route of the console, by path. */
export const readRoutes = (): Route[] => {
  // Nothing is loaded here, so the context is not used; only the fields of `Route` are read.
  const { routesById } = createRouter({ routeTree, history: createMemoryHistory(), context: {} as never })
  const routes = (Object.values(routesById) as unknown as Route[]).filter((route) => isPage(route) || isIndex(route))
  return routes.filter(({ id }) => id !== '__root__').toSorted((a, b) => (a.fullPath < b.fullPath ? -1 : 1))
}
