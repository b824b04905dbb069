import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { expect, it, onTestFinished, vi } from 'vitest'
import { page } from 'vitest/browser'
import type { BulkChange } from '../../../contract/fleet/device-jobs'
import type { Api } from '../../../src/api/client'
import { unanswered } from '../../../src/api/failure'
import { PauseDialog } from '../../../src/features/devices/bulk/pause-dialog'
import { makeSystem, mount } from './system'

type Sent = { body: BulkChange; idempotencyKey: string }

it('a bulk pause whose answer was lost is repeated with its first end time and key', async () => {
  const send = vi
    .fn<(sent: Sent) => { job_id: string }>(() => ({ job_id: 'j1' }))
    .mockImplementationOnce(() => {
      throw unanswered('network_error', undefined)
    })
  const api = (async (_endpoint: unknown, _params: unknown, options: Sent) => send(options)) as unknown as Api // Only one endpoint.
  const onStarted = vi.fn<() => void>()
  const selected = { projectId: 'p1', count: 2, selection: { ids: ['d1', 'd2'] } }
  const root = createRootRoute()
  const route = createRoute({
    getParentRoute: () => root,
    path: '/organizations/$organizationId',
    component: () => <PauseDialog selected={selected} onClose={() => {}} onStarted={onStarted} />,
  })
  const router = createRouter({
    routeTree: root.addChildren([route]),
    history: createMemoryHistory({ initialEntries: ['/organizations/none'] }),
  })
  // It has other routes than the router of the console.
  mount({ ...makeSystem(), api }, <RouterProvider router={router as never} />)
  const pause = page.getByRole('button', { name: 'Pause 2 devices' })
  await pause.click()
  await expect.element(page.getByText('It is not known whether the bulk change has started.', { exact: false })).toBeVisible()
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 600_000)
  onTestFinished(() => clock.mockRestore())
  await pause.click()
  await expect.poll(() => onStarted).toHaveBeenCalledOnce()
  const [first, second] = send.mock.calls.map(([{ body, idempotencyKey }]) => ({ body, idempotencyKey }))
  expect(first?.body.args?.until).toEqual(expect.any(String))
  expect(second).toEqual(first)
})
