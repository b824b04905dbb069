import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { type Overview, shownRollouts } from '../../../contract/overview/monitor'
import { RunningRollouts } from '../../../src/features/monitor/running-rollouts'
import { makeSystem, mount } from './system'

const rolloutOf = (n: number): Overview['rollouts'][number] => ({
  id: `r${n}`,
  release_id: 'one',
  name: `Spring ${n}`,
  state: 'running',
  current_wave: 1,
  waves: 1,
  counts: { targeted: 10, succeeded: 0, failed: 0, running: 0, claimed: 0, waiting: 10 },
  failed_percent: 0,
  start_at: null,
  requires_approval: false,
  asked_by: [],
  gate_percent: null,
})

const show = (rollouts: Overview['rollouts']) => {
  const top = createRootRoute()
  const monitor = createRoute({
    getParentRoute: () => top,
    path: '/organizations/$organizationId/projects/$projectId/monitor',
    component: () => <RunningRollouts rollouts={rollouts} />,
  })
  const history = createMemoryHistory({ initialEntries: ['/organizations/none/projects/p1/monitor'] })
  mount(makeSystem(), <RouterProvider router={createRouter({ routeTree: top.addChildren([monitor]), history })} />)
}

it("§8: the monitor of a project without open rollouts says 'Not Found' in their panel", async () => {
  show([])
  await expect.element(page.getByText('Not Found. Start a rollout from a signed release.')).toBeVisible()
})

it.each([
  { open: shownRollouts - 1, linked: false },
  { open: shownRollouts, linked: true },
])('the panel of $open open rollouts leads to all of them: $linked', async ({ open, linked }) => {
  show(Array.from({ length: open }, (_, n) => rolloutOf(n)))
  await expect.element(page.getByRole('link', { name: 'Spring 0', exact: true })).toBeVisible()
  const all = page.getByRole('link', { name: 'All open rollouts' })
  if (linked) await expect.element(all).toHaveAttribute('href', '/organizations/none/projects/p1/releases/rollouts')
  else {
    await expect.element(all).not.toBeInTheDocument()
    await expect.element(page.getByText(String(open), { exact: true })).toBeVisible()
  }
})
