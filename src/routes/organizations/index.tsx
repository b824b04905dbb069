import { createFileRoute, redirect } from '@tanstack/react-router'
import { currentScope } from '../../system/scope/guard'
import { scopeToPath } from '../../system/scope/scope'

/** §2: without an organization in the path, the current one's projects. */
export const Route = createFileRoute('/organizations/')({
  beforeLoad: async (arrival) => {
    // Preloading a hovered link must not notify the chart, so there is no redirect yet.
    if (arrival.preload) return
    const scope = await currentScope(arrival)
    throw redirect({
      to: '/organizations/$organizationId/projects',
      params: { organizationId: scopeToPath(scope) },
      search: true,
      replace: true,
    })
  },
})
