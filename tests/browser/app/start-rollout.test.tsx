import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { expect, it, vi } from 'vitest'
import { page } from 'vitest/browser'
import type { Endpoint } from '../../../contract/core/endpoint'
import type { Release } from '../../../contract/updates/releases'
import { previewRollout } from '../../../contract/updates/rollout-plans'
import { startRollout } from '../../../contract/updates/rollout-steps'
import { createRollout, type Rollout } from '../../../contract/updates/rollouts'
import { tags } from '../../../contract/fleet/tags'
import type { Api } from '../../../src/api/client'
import { refused, unanswered } from '../../../src/api/failure'
import { StartRolloutDialog } from '../../../src/features/releases/rollouts/start-rollout-dialog'
import { makeSystem, mount } from './system'

const release = { id: 'e1', project_id: 'p1', name: 'Gateway', version: 6, display_version: '2.6.0' } as Release
type Options = { body: { preview_hash?: string; target?: unknown }; idempotencyKey?: string }

/** The dialog with a server that previews another hash each time, and answers these two calls so. */
const open = (total = 7, again?: Rollout) => {
  const create = vi.fn<(options: Options) => unknown>(() => ({ id: 'r1', project_id: 'p1', release_id: 'e1' }))
  const start = vi.fn<(options: Options) => unknown>(() => ({ id: 'r1', project_id: 'p1', release_id: 'e1' }))
  let previews = 0
  const preview = () => ({
    total,
    waves: [{ n: 1, plan_wave: 0, count: total, asked_count: null, sample: [] }],
    overlaps: [],
    paused: null,
    excluded: [],
    newer: [],
    key_coverage: { trusting: total, not_applicable: 0, total, missing: [] },
    size_bytes_total: 7,
    requires_approval: false,
    preview_hash: `hash-${(previews += 1)}`,
  })
  const answers = new Map<Endpoint, (options: Options) => unknown>([
    [tags, () => ({ tags: [], next_cursor: null, total: 0 })],
    [previewRollout, preview],
    [createRollout, create],
    [startRollout, start],
  ])
  const api = (async (endpoint: Endpoint, _params: unknown, options: Options) => {
    const answer = answers.get(endpoint)
    if (!answer) throw new Error(`no answer for ${endpoint.path}`)
    return answer(options)
  }) as unknown as Api // Implements only these endpoints.
  const onClose = vi.fn<() => void>()
  const root = createRootRoute()
  const route = createRoute({
    getParentRoute: () => root,
    path: '/organizations/$organizationId',
    component: () => <StartRolloutDialog release={release} onClose={onClose} {...(again && { again })} />,
  })
  const router = createRouter({
    routeTree: root.addChildren([route]),
    history: createMemoryHistory({ initialEntries: ['/organizations/none'] }),
  })
  const system = { ...makeSystem(), api }
  // It has other routes than the router of the console.
  mount(system, <RouterProvider router={router as never} />)
  return { create, start, onClose, preview: () => system.queryClient.refetchQueries({ queryKey: ['release', 'e1', 'preview'] }) }
}
const begin = () => page.getByRole('button', { name: 'Start rollout' })
const unknown = () => page.getByText('It is not known whether the rollout has started.', { exact: false })
const sent = (call: ReturnType<typeof open>['create']) =>
  call.mock.calls.map(([{ body, idempotencyKey }]) => [body.preview_hash, idempotencyKey])

it('a rollout whose creation was not answered is created once, although its preview has changed meanwhile', async () => {
  const { create, start, preview, onClose } = open()
  create.mockImplementationOnce(() => {
    throw unanswered('network_error', undefined)
  })
  await begin().click()
  await expect.element(unknown()).toBeVisible()
  await preview()
  await begin().click()
  await expect.poll(() => onClose).toHaveBeenCalledOnce()
  const [first, second] = sent(create)
  expect(first).toEqual([expect.stringMatching('hash-'), expect.any(String)])
  expect(second).toEqual(first)
  expect(start).toHaveBeenCalledOnce()
})

it('a rollout whose start was not answered is started again with the same key', async () => {
  const { create, start, onClose } = open()
  start.mockImplementationOnce(() => {
    throw unanswered('timeout', undefined)
  })
  await begin().click()
  await expect.element(unknown()).toBeVisible()
  await begin().click()
  await expect.poll(() => onClose).toHaveBeenCalledOnce()
  expect(create).toHaveBeenCalledOnce()
  const [first, second] = sent(start)
  expect(first).toEqual([undefined, expect.any(String)])
  expect(second).toEqual(first)
})

it('a rollout that was refused has not started, and is created from the new preview', async () => {
  const { create, preview, onClose } = open()
  create.mockImplementationOnce(() => {
    throw refused(new Response('', { status: 409 }), {
      error: { code: 'preview_stale', message: 'x', details: [], request_id: '' },
    })
  })
  await begin().click()
  await expect.element(page.getByRole('alert')).toBeVisible()
  await preview()
  await expect.element(unknown()).not.toBeInTheDocument()
  await begin().click()
  await expect.poll(() => onClose).toHaveBeenCalledOnce()
  const [first, second] = sent(create)
  expect(second?.[0]).not.toBe(first?.[0])
  expect(second?.[1]).not.toBe(first?.[1])
})

it('a rollout is started again on all failed devices of an earlier one, however many they are', async () => {
  const { create, onClose } = open(2500, { id: 'r0', name: 'Gateway #1' } as Rollout)
  await expect.element(page.getByText('2,500, in waves of 2,500')).toBeVisible()
  await begin().click()
  await expect.poll(() => onClose).toHaveBeenCalledOnce()
  expect(create.mock.lastCall?.[0].body.target).toEqual({ failed_in: 'r0', key_trusted: true })
})
