import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { expect, it, onTestFinished, vi } from 'vitest'
import { page } from 'vitest/browser'
import { deleteTag, type Tag } from '../../../contract/fleet/tags'
import type { Api } from '../../../src/api/client'
import { ApiError } from '../../../src/api/failure'
import { DeleteTagDialog } from '../../../src/features/tags/delete-tag-dialog'
import { createModals } from '../../../src/system/modals/modals'
import { makeSystem, mount } from './system'

const tag: Tag = {
  id: '01K0000000000000000000TAG1',
  created_at: '2026-06-01T12:00:00+00:00',
  updated_at: '2026-06-01T12:00:00+00:00',
  revision: 4,
  name: 'line-1',
  colour: 'sky',
  description: '',
  device_count: 0,
  used_by_rollouts: 0,
  used_by_enrollment_tokens: 0,
}
const refusal = (status: number, code: string, about: unknown) =>
  new ApiError({
    status,
    code,
    message: code,
    details: [],
    requestId: 'request-1',
    requiredPermission: undefined,
    requiredPlan: undefined,
    retryAfterS: undefined,
    about,
  })

it('a tag that was changed and is in use meanwhile is deleted at the third try, which sends its current revision', async () => {
  const revisions: unknown[] = []
  const api = (async (endpoint: unknown, _params: unknown, options: { ifMatch?: number; query?: { force?: boolean } }) => {
    if (endpoint !== deleteTag) return undefined
    revisions.push(options.ifMatch)
    if (options.ifMatch !== 5) throw refusal(412, 'stale_revision', { current: { ...tag, revision: 5 } })
    if (!options.query?.force) throw refusal(409, 'in_use', { devices: 2, rollouts: 0, enrollment_tokens: 0 })
    return undefined
  }) as unknown as Api // Implements only one endpoint.
  const onDeleted = vi.fn<() => void>()
  const top = createRootRoute({ component: () => <DeleteTagDialog tag={tag} onClose={() => {}} onDeleted={onDeleted} /> })
  const router = createRouter({ routeTree: top, history: createMemoryHistory({ initialEntries: ['/'] }) })
  const system = makeSystem()
  const modals = createModals()
  system.modals.actor = modals
  onTestFinished(() => modals.stop())
  // It has other routes than the router of the console.
  mount({ ...system, api }, <RouterProvider router={router as never} />)
  const press = () => page.getByRole('button', { name: 'Delete tag', exact: true }).click()
  await press()
  await expect.element(page.getByText('stale_revision')).toBeVisible()
  await press()
  await expect.element(page.getByText('2 devices use it.')).toBeVisible()
  await page.getByRole('checkbox', { name: 'Remove from all and delete' }).click()
  await press()
  await expect.poll(() => onDeleted.mock.calls.length).toBe(1)
  expect(revisions).toEqual([4, 5, 5])
})
