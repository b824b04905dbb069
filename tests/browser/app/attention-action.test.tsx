import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { expect, it, onTestFinished } from 'vitest'
import { page } from 'vitest/browser'
import { deviceCommand, sendCommand } from '../../../contract/fleet/device-commands'
import { device } from '../../../contract/fleet/devices'
import type { Overview } from '../../../contract/overview/monitor'
import { personalProjectPermissions } from '../../../contract/accounts/projects'
import { retryFailed } from '../../../contract/updates/rollout-steps'
import { rollout } from '../../../contract/updates/rollouts'
import type { Api } from '../../../src/api/client'
import { unanswered } from '../../../src/api/failure'
import { AttentionAction, type Step } from '../../../src/features/monitor/attention-action'
import { createModals } from '../../../src/system/modals/modals'
import { makeSystem, mount } from './system'

const queued = { id: 'c1', command: 'check_now', state: 'queued', expected_at: null, delivered_at: null }

/** The button of an entry of the list, and the keys of the requests that the server received; the first answer is lost. */
const openAction = (action: Step) => {
  const keys: unknown[] = []
  const receive = (answer: object) => (options: { idempotencyKey?: string }) => {
    keys.push(options.idempotencyKey)
    if (keys.length === 1) throw unanswered('timeout', undefined)
    return answer
  }
  const answers = new Map<unknown, (options: { idempotencyKey?: string }) => unknown>([
    [personalProjectPermissions, () => ({ permissions: null, baseRole: null })],
    [device, () => ({ id: 'd1', name: 'pump-1', update: { rollout_id: 'r1' } })],
    [rollout, () => ({ id: 'r1', name: 'Gateway #3', state: 'running', counts: { failed: 2 } })],
    [retryFailed, receive({ id: 'r1', project_id: 'p1', release_id: 'e1' })],
    [sendCommand, receive(queued)],
    [deviceCommand, () => queued],
  ])
  const api = (async (endpoint: unknown, _params: unknown, options = {}) => answers.get(endpoint)?.(options)) as unknown as Api // Implements only these endpoints.
  const item = { device_id: 'd1', device_name: 'pump-1' } as Overview['attention'][number] // The fields that are read.
  const top = createRootRoute()
  const monitor = createRoute({
    getParentRoute: () => top,
    path: '/organizations/$organizationId/projects/$projectId/monitor',
    component: () => <AttentionAction item={item} action={action} />,
  })
  const history = createMemoryHistory({ initialEntries: ['/organizations/none/projects/p1/monitor'] })
  const router = createRouter({ routeTree: top.addChildren([monitor]), history })
  const system = makeSystem()
  const modals = createModals()
  system.modals.actor = modals
  onTestFinished(() => modals.stop())
  // It has other routes than the router of the console.
  mount({ ...system, api }, <RouterProvider router={router as never} />)
  return keys
}

it('a retry from the attention list whose answer was lost is repeated with its first key, and the next one with another', async () => {
  const keys = openAction('retry_failed')
  for (const sent of [1, 2, 3]) {
    await page.getByRole('button', { name: 'Retry: pump-1', exact: true }).click()
    await page.getByRole('button', { name: 'Retry 2 failed devices', exact: true }).click()
    await expect.poll(() => keys.length).toBe(sent)
    await expect.element(page.getByRole('alertdialog')).not.toBeInTheDocument()
  }
  expect(keys.map((key) => [typeof key, key === keys[0]])).toEqual([
    ['string', true],
    ['string', true],
    ['string', false],
  ])
})

it('a command from the attention list whose answer was lost is repeated with its first key, and the next one with another', async () => {
  const keys = openAction('check_now')
  const check = page.getByRole('button', { name: 'Check now: pump-1', exact: true })
  for (const sent of [1, 2, 3]) {
    await check.click()
    await expect.poll(() => keys.length).toBe(sent)
    await expect.element(check).not.toHaveAttribute('aria-busy', 'true')
  }
  expect(keys.map((key) => [typeof key, key === keys[0]])).toEqual([
    ['string', true],
    ['string', true],
    ['string', false],
  ])
})
