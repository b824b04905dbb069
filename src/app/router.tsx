import { createRouter } from '@tanstack/react-router'
import { routeTree } from '../route-tree.gen'
import { FailedPage } from '../system/failure/failed-page'
import type { RouterContext } from '../system/scope/guard'
import { parseSearch, stringifySearch } from './search'

/** After the frame that answers an input: what follows may take longer. A hidden page has no frames. */
const painted = () =>
  new Promise<void>((resolve) => {
    if (document.hidden) resolve()
    else requestAnimationFrame(() => setTimeout(resolve))
  })

export const createConsoleRouter = (context: RouterContext) => {
  const router = createRouter({
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
  const { load } = router
  // A page whose data is cached is rendered at once and not in parts: without this, a click is seen only after all of it.
  router.load = async (options) => {
    if (router.stores.resolvedLocation.get() !== undefined) {
      // The next navigation begins where this one leads.
      router.updateLatestLocation()
      await painted()
    }
    return load(options)
  }
  return router
}

export type ConsoleRouter = ReturnType<typeof createConsoleRouter>

declare module '@tanstack/react-router' {
  interface Register {
    router: ConsoleRouter
  }
}
