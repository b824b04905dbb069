import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider, useRouterState } from '@tanstack/react-router'
import { useSelector } from '@xstate/react'
import { MissingPage } from '../features/session/missing-page'
import { SessionGate } from '../features/session/session-gate'
import { type System, SystemProvider, useSystem } from '../system/system'
import type { ConsoleRouter } from './router'

/** After the first page, a missing chunk is reported above the page; before that on its own page. */
const Pages = ({ router }: { router: ConsoleRouter }) => {
  const stuck = useSelector(useSystem().chunkReload, (snapshot) => snapshot.hasTag('stuck'))
  const begun = useRouterState({ router, select: ({ resolvedLocation }) => resolvedLocation !== undefined })
  return stuck && !begun ? <MissingPage /> : <RouterProvider router={router} />
}

export const App = ({ system, router }: { system: System; router: ConsoleRouter }) => (
  <SystemProvider value={system}>
    <QueryClientProvider client={system.queryClient}>
      <SessionGate>
        <Pages router={router} />
      </SessionGate>
    </QueryClientProvider>
  </SystemProvider>
)
