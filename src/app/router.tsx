import { createRouter } from '@tanstack/react-router'
import { routeTree } from '../route-tree.gen'
import { FailedPage } from '../system/failed-page'
import type { RouterContext } from '../system/guard'
import { parseSearch, stringifySearch } from './search'

export const createConsoleRouter = (context: RouterContext) =>
  createRouter({
    routeTree,
    context,
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    // The query cache decides what is fresh.
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    defaultErrorComponent: FailedPage,
    // The previous page stays until the next one is ready.
    defaultPendingMs: 1000,
  })

export type ConsoleRouter = ReturnType<typeof createConsoleRouter>

declare module '@tanstack/react-router' {
  interface Register {
    router: ConsoleRouter
  }
}
