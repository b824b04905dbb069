import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { RunningRollouts } from '../../../src/features/monitor/running-rollouts'
import { makeSystem, mount } from './system'

it("§8: the monitor of a project without open rollouts says 'Not Found' in their panel", async () => {
  const top = createRootRoute()
  const monitor = createRoute({
    getParentRoute: () => top,
    path: '/organizations/$organizationId/projects/$projectId/monitor',
    component: () => <RunningRollouts rollouts={[]} />,
  })
  const history = createMemoryHistory({ initialEntries: ['/organizations/none/projects/p1/monitor'] })
  mount(makeSystem(), <RouterProvider router={createRouter({ routeTree: top.addChildren([monitor]), history })} />)
  await expect.element(page.getByText('Not Found. Start a rollout from a signed release.')).toBeVisible()
})
