import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { expect, it, vi } from 'vitest'
import { page } from 'vitest/browser'
import { personalProjectPermissions } from '../../../contract/accounts/projects'
import { resendDelivery, type Webhook, type WebhookDelivery } from '../../../contract/accounts/webhooks'
import type { Api } from '../../../src/api/client'
import { unanswered } from '../../../src/api/failure'
import { DeliveryDialog } from '../../../src/features/access/webhooks/delivery-dialog'
import { makeSystem, mount } from './system'

it('a delivery whose answer was lost is sent again with its first key', async () => {
  const keys: unknown[] = []
  const answers = new Map<unknown, (options: { idempotencyKey?: string }) => unknown>([
    [personalProjectPermissions, () => ({ permissions: null, baseRole: null })],
    [
      resendDelivery,
      ({ idempotencyKey }) => {
        keys.push(idempotencyKey)
        if (keys.length === 1) throw unanswered('timeout', undefined)
        return { id: 'd2', webhook_id: 'w1' }
      },
    ],
  ])
  const api = (async (endpoint: unknown, _params: unknown, options = {}) => answers.get(endpoint)?.(options)) as unknown as Api // Implements only these endpoints.
  const webhook = { id: 'w1', project_id: 'p1', state: 'enabled' } as unknown as Webhook // The fields that are read.
  const delivery: WebhookDelivery = {
    id: 'd1',
    webhook_id: 'w1',
    event_id: 'e1',
    type: 'release.ready',
    created_at: '2026-06-01T10:00:00+00:00',
    state: 'failed',
    attempts: 1,
    next_attempt_at: null,
    request: { url: 'https://example.com/hook', body: '{}' },
    last_attempt: null,
  }
  const onClose = vi.fn<() => void>()
  const top = createRootRoute()
  const access = createRoute({
    getParentRoute: () => top,
    path: '/organizations/$organizationId/projects/$projectId/access',
    component: () => <DeliveryDialog webhook={webhook} delivery={delivery} onClose={onClose} />,
  })
  const history = createMemoryHistory({ initialEntries: ['/organizations/none/projects/p1/access'] })
  const router = createRouter({ routeTree: top.addChildren([access]), history })
  // It has other routes than the router of the console.
  mount({ ...makeSystem(), api }, <RouterProvider router={router as never} />)
  const send = page.getByRole('button', { name: 'Send again', exact: true })
  await send.click()
  await expect.poll(() => keys.length).toBe(1)
  await expect.element(send).not.toHaveAttribute('aria-busy', 'true')
  await send.click()
  await expect.poll(() => keys.length).toBe(2)
  expect(keys.map((key) => [typeof key, key === keys[0]])).toEqual([
    ['string', true],
    ['string', true],
  ])
})
