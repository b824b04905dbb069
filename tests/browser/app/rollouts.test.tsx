import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { expect, it, vi } from 'vitest'
import { page } from 'vitest/browser'
import type { Endpoint } from '../../../contract/core/endpoint'
import { personalProjectPermissions } from '../../../contract/accounts/projects'
import { release } from '../../../contract/updates/releases'
import { continueRollout, haltRollout, pauseRollout, resumeRollout } from '../../../contract/updates/rollout-steps'
import { projectRollouts, type Rollout, rollout, rolloutDevices, rolloutTimeline } from '../../../contract/updates/rollouts'
import { self } from '../../../contract/accounts/users'
import type { Failure } from '../../../contract/core/errors'
import type { Api } from '../../../src/api/client'
import { ApiError, unanswered } from '../../../src/api/failure'
import { createQueryClient } from '../../../src/api/query-client'
import RolloutPage from '../../../src/features/releases/rollouts/rollout-page'
import RolloutsPage from '../../../src/features/releases/rollouts/rollouts-page'
import { Toaster } from '../../../src/ui/overlay/toast'
import { FailedPage } from '../../../src/system/failure/failed-page'
import { makeSystem, mount } from './system'

const place = '/organizations/$organizationId/projects/$projectId/releases/rollouts/'
const counts = { targeted: 13, succeeded: 4, failed: 0, running: 3, claimed: 0, waiting: 6 }
const gate = {
  min_success_percent: 90,
  max_failure_percent: 10,
  min_sample: 3,
  soak_s: 600,
  then: 'wait_for_user' as const,
  health_gate: true,
}
const waveOf = (n: number, state: Rollout['waves'][number]['state']): Rollout['waves'][number] => ({
  n,
  state,
  percent: n * 50,
  tag: null,
  counts: { ...counts, targeted: 7 * n },
  returned: 0,
  success_percent: null,
  failure_percent: null,
  gate,
  counts_from: null,
  started_at: null,
  soak_until: null,
})
const running: Rollout = {
  id: '01JNV4E3S00000000000000R01',
  created_at: '2026-06-01T11:00:00+00:00',
  updated_at: '2026-06-01T11:00:00+00:00',
  revision: 1,
  project_id: '01JNV4E3S00000000000000P01',
  release_id: '01JNV4E3S00000000000000E01',
  release_name: 'Gateway',
  version: 6,
  display_version: '2.6.0',
  name: 'Gateway #3',
  created_by: { kind: 'user', id: 'u1', name: 'Ines Marlow' },
  target: { everything: true },
  membership: 'frozen',
  waves: [waveOf(1, 'filling'), waveOf(2, 'waiting')],
  max_concurrent: 50,
  start_rate_per_min: null,
  retries: 3,
  backoff: { first_s: 300, factor: 2, max_s: 86_400 },
  start_at: null,
  end_at: null,
  window: { days: ['sat', 'sun'], from: '22:00', to: '04:00', zone: 'device' },
  on_failure: 'halt',
  allow_downgrade: null,
  priority: 50,
  requires_approval: false,
  approval: null,
  state: 'running',
  rolls_back_id: null,
  ways_back: [],
  state_reason: null,
  with_failures: false,
  current_wave: 1,
  counts,
  bulk_change: null,
  preview_hash: 'a'.repeat(64),
  started_at: '2026-06-01T11:00:00+00:00',
  ended_at: null,
}

type Call = { endpoint: Endpoint; options: unknown }
type Answers = ReadonlyMap<Endpoint, (options: { query?: Record<string, unknown> }) => unknown>

const mine = { permissions: null, baseRole: null }
const basics: [Endpoint, () => unknown][] = [
  [personalProjectPermissions, () => mine],
  [self, () => ({ data: { id: 'u2' } })],
]

/** A page at its address, with a server that answers only these endpoints. */
const show = (path: string, href: string, component: () => ReactNode, answers: Answers, system = makeSystem()) => {
  const calls = vi.fn<(call: Call) => void>()
  const api = (async (endpoint: Endpoint, _params: unknown, options: { query?: Record<string, unknown> } = {}) => {
    calls({ endpoint, options })
    const answer = new Map([...basics, ...answers]).get(endpoint)
    if (!answer) throw new Error(`no answer for ${endpoint.path}`)
    return answer(options)
  }) as unknown as Api // Implements only these endpoints.
  const root = createRootRoute()
  const route = createRoute({ getParentRoute: () => root, path, component })
  const router = createRouter({
    routeTree: root.addChildren([route]),
    history: createMemoryHistory({ initialEntries: [href] }),
    defaultErrorComponent: FailedPage,
  })
  // It has other routes than the router of the console.
  mount(
    { ...system, api },
    <>
      <RouterProvider router={router as never} />
      <Toaster />
    </>,
  )
  return {
    router,
    sent: (wanted: Endpoint) => calls.mock.calls.flatMap(([call]) => (call.endpoint === wanted ? [call.options] : [])),
  }
}

const at = '/organizations/none/projects/p/releases/rollouts'
const list = (answer: (query: Record<string, unknown>) => Rollout[], groups = { waiting: 1, open: 2, ended: 3 }) =>
  show(
    place,
    at,
    RolloutsPage,
    new Map([
      [
        projectRollouts,
        ({ query = {} }) => {
          const rollouts = answer(query)
          return { rollouts, next_cursor: null, total: rollouts.length, groups }
        },
      ],
    ]),
  )
const button = (name: string) => page.getByRole('button', { name, exact: true })

it('the list of rollouts asks for the open ones, urgent first, and says outcome and next step of each', async () => {
  const halted: Rollout = { ...running, id: 'r2', name: 'Gateway #2', state: 'halted', counts: { ...counts, failed: 2 } }
  const { sent } = list(() => [halted, running])
  await expect.element(page.getByRole('link', { name: 'Gateway #2' })).toHaveAttribute('href', `${at}/r2`)
  expect(sent(projectRollouts)[0]).toMatchObject({ query: { group: 'open', sort: '-urgency' } })
  await expect.element(page.getByText('2 of 13 failed, 4 succeeded. 6 devices wait; resume to continue')).toBeInTheDocument()
  await expect.element(page.getByText('4 of 13 succeeded. Wave 2 opens when wave 1 passes its gate')).toBeInTheDocument()
  await expect.element(page.getByRole('radio', { name: 'Waiting for you 1' })).toBeInTheDocument()
})

it('the list of rollouts shows one group at a time, and keeps it in the address', async () => {
  const { sent, router } = list(({ group }) => (group === 'waiting' ? [] : [running]))
  await page.getByText('Waiting for you 1').click()
  await expect.poll(() => sent(projectRollouts).at(-1)).toMatchObject({ query: { group: 'waiting' } })
  await expect.element(page.getByRole('heading', { name: 'Not Found' })).toBeVisible()
  expect(router.state.location.search).toEqual({ group: 'waiting' })
  await button('Clear filters').click()
  await expect.element(page.getByRole('link', { name: 'Gateway #3' })).toBeVisible()
})

it('a project without rollouts says how to begin', async () => {
  list(() => [], { waiting: 0, open: 0, ended: 0 })
  await expect.element(page.getByText('Start one from the page of a signed release.', { exact: false })).toBeVisible()
  await expect.element(page.getByRole('radiogroup')).not.toBeInTheDocument()
})

it('a project whose rollouts have all ended offers to show them', async () => {
  list(({ group }) => (group === 'ended' ? [running] : []), { waiting: 0, open: 0, ended: 1 })
  await button('Show ended rollouts').click()
  await expect.element(page.getByRole('link', { name: 'Gateway #3' })).toBeVisible()
})

const entries = [
  { at: '2026-06-01T11:00:00+00:00', kind: 'rollout.started', text: 'Started', wave: null, by: 'Otto Feldt' },
  { at: '2026-06-01T11:10:00+00:00', kind: 'gate.measured', text: '4 of 7 have ended', wave: 1, by: null },
]
const detail = (
  shown: Rollout,
  read: () => unknown = () => shown,
  answers: [Endpoint, () => unknown][] = [],
  system = makeSystem(),
) =>
  show(
    `${place}$rolloutId`,
    `${at}/${shown.id}`,
    RolloutPage,
    new Map<Endpoint, () => unknown>([
      [rollout, read],
      [rolloutTimeline, () => ({ entries })],
      [rolloutDevices, () => ({ devices: [], next_cursor: null, total: 0 })],
      [release, () => ({ id: shown.release_id, state: 'released' })],
      [pauseRollout, () => ({ ...shown, state: 'paused' })],
      [haltRollout, () => ({ ...shown, state: 'halted' })],
      [continueRollout, () => ({ ...shown, state: 'running' })],
      ...answers,
    ]),
    system,
  )

it('the page of a rollout says its outcome, its next step, its plan and what its gates measured', async () => {
  detail(running)
  await expect.element(page.getByRole('heading', { level: 1, name: 'Gateway #3' })).toHaveTextContent('4 of 13 succeeded')
  await expect.element(page.getByText('Wave 2 opens when wave 1 passes its gate.')).toBeVisible()
  await expect.element(page.getByText('Sat, Sun, 22:00 to 04:00, device time')).toBeVisible()
  await expect.element(page.getByText('3, the first after 5 min, then each time 2 times longer, at most 1 d')).toBeVisible()
  await expect.element(page.getByText('4 of 7 have ended')).toBeVisible()
  await expect.element(page.getByText('Started by Otto Feldt')).toBeVisible()
  await expect.element(page.getByRole('definition').filter({ hasText: 'by Otto Feldt' })).toBeVisible()
  await expect.element(page.getByText('1 h, health gate, then a person').first()).toBeInTheDocument()
})

it('the page of a rollout that waits names the device that is next, with its reason', async () => {
  const next_wait = { device_id: 'd', device_name: 'gw-7', reason: 'The maintenance window is closed', until: null }
  detail(running, () => ({ ...running, next_wait }))
  await expect.element(page.getByText('Next is gw-7: the maintenance window is closed.')).toBeVisible()
})

it('the page of a rollout that was rolled back says how many are back, and links to what sent them', async () => {
  const way = { rollout_id: 'r9', name: 'Back from Gateway #3', version: 5, display_version: '2.5.0', returned: 3 }
  const waves = [{ ...waveOf(1, 'passed'), returned: 3 }]
  const done = { ...running, waves, state: 'rolled_back' as const, ended_at: '2026-06-01T12:00:00+00:00', ways_back: [way] }
  detail(done)
  const heading = page.getByRole('heading', { level: 1, name: 'Gateway #3' })
  await expect.element(heading).toHaveTextContent('4 of 13 succeeded, 3 of them back at 2.5.0 since')
  await expect.element(page.getByRole('link', { name: way.name })).toHaveAttribute('href', `${at}/r9`)
  await expect.element(page.getByText('sends devices back to 2.5.0: 3 back.', { exact: false })).toBeVisible()
  await expect.element(page.getByText('4 · 0 · 3 · 6 (3 back)')).toBeInTheDocument()
  await expect.element(page.getByRole('img', { name: 'Wave 1: succeeded 1, back 3, running 3' })).toBeInTheDocument()
})

const gone: Failure = {
  status: 404,
  code: 'not_found',
  message: 'The Requested Resource Cannot Be Found',
  details: [],
  requestId: undefined,
  requiredPermission: undefined,
  requiredPlan: undefined,
  retryAfterS: undefined,
  about: undefined,
}
it('the page of a rollout that is gone meanwhile says so, leads to the list, and has no steps', async () => {
  const read = vi.fn<() => unknown>().mockReturnValueOnce(running).mockRejectedValue(new ApiError(gone))
  detail(running, read)
  await expect.element(page.getByRole('heading', { level: 1, name: 'Gateway #3' })).toBeVisible()
  const alert = page.getByRole('alert')
  await expect.element(alert).toHaveTextContent('This rollout was not found. It may have been deleted')
  await expect.element(alert.getByRole('link', { name: 'Rollouts' })).toHaveAttribute('href', at)
  await expect.element(button('Pause')).not.toBeInTheDocument()
})

it('a rollout is paused with its consequence told before', async () => {
  const { sent } = detail(running)
  await button('Pause').click()
  const dialog = page.getByRole('dialog')
  await expect.element(dialog.getByText('No new updates start until it is resumed. 3 running updates continue.')).toBeVisible()
  expect(sent(pauseRollout)).toEqual([])
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Storm tonight')
  await dialog.getByRole('button', { name: 'Pause' }).click()
  await expect.poll(() => sent(pauseRollout)).toEqual([{ body: { reason: 'Storm tonight' }, idempotencyKey: expect.any(String) }])
})

it('a rollout that somebody else has resumed meanwhile says so, its question closes, and its page shows that it runs', async () => {
  const paused = { ...running, state: 'paused' as const }
  let stored: Rollout = paused
  const refused = () => {
    const message = 'This is not possible: the state is running now'
    throw new ApiError({ ...gone, status: 409, code: 'conflict', message, about: { state: 'running' } })
  }
  detail(paused, () => stored, [[resumeRollout, refused]], makeSystem(createQueryClient()))
  await button('Resume').click()
  stored = running
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Resume' }).click()
  const notice = page.getByText('Gateway #3 has changed meanwhile: running')
  await expect.element(notice).toBeVisible()
  await expect.element(dialog).not.toBeInTheDocument()
  await button('Close').click()
  await expect.element(notice).not.toBeInTheDocument()
  await expect.element(button('Pause')).toBeVisible()
  await expect.element(button('Resume')).not.toBeInTheDocument()
})

it('halt, rollback and cancellation are behind the menu, and halt says what running updates do', async () => {
  const { sent } = detail(running)
  await expect.element(button('Halt and roll back')).not.toBeInTheDocument()
  await button('More actions for Gateway #3').click()
  for (const name of ['Halt and roll back', 'Cancel rollout'])
    await expect.element(page.getByRole('menuitem', { name, exact: true })).toBeVisible()
  await page.getByRole('menuitem', { name: 'Halt', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await expect.element(dialog.getByText('Updated devices keep the release.', { exact: false })).toBeVisible()
  await dialog.getByRole('button', { name: 'Halt' }).click()
  await expect.poll(() => sent(haltRollout)).toEqual([{ body: {}, idempotencyKey: expect.any(String) }])
})

const ended: Rollout = { ...running, state: 'completed', ended_at: '2026-06-01T13:00:00+00:00' }

it('a rollout that has ended can be rolled back if it has updated devices', async () => {
  detail(ended)
  await button('More actions for Gateway #3').click()
  await expect.element(page.getByRole('menuitem', { name: 'Roll back', exact: true })).toBeVisible()
  expect(page.getByRole('menuitem').elements()).toHaveLength(1)
})

it.each([
  ['without an updated device', { ...ended, counts: { ...counts, succeeded: 0 } }],
  ['that was the way back of another one', { ...ended, created_by: null }],
])('a rollout %s cannot be rolled back after its end', async (_, shown) => {
  detail(shown)
  await expect.element(page.getByRole('heading', { level: 1, name: 'Gateway #3' })).toBeVisible()
  await expect.element(button('More actions for Gateway #3')).not.toBeInTheDocument()
})

it('a wave that waits for a person says how many devices the next one offers it to', async () => {
  const { sent } = detail({ ...running, state: 'waiting_for_user', waves: [waveOf(1, 'waiting_for_user'), waveOf(2, 'waiting')] })
  await button('Open next wave').click()
  await expect.element(page.getByText('Wave 2 opens: 14 devices are offered the release.')).toBeVisible()
  await page.getByRole('dialog').getByRole('button', { name: 'Open next wave' }).click()
  await expect.poll(() => sent(continueRollout)).toHaveLength(1)
})

it('a step whose answer was lost is repeated with the same key, so that it opens no further wave', async () => {
  const waiting: Rollout = {
    ...running,
    state: 'waiting_for_user',
    waves: [waveOf(1, 'waiting_for_user'), waveOf(2, 'waiting')],
  }
  const take = vi
    .fn<() => unknown>(() => running)
    .mockImplementationOnce(() => {
      throw unanswered('network_error', undefined)
    })
  const { sent } = detail(waiting, undefined, [[continueRollout, take]])
  await button('Open next wave').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Open next wave' }).click()
  await expect.element(dialog.getByText('It is not known whether this was done.', { exact: false })).toBeVisible()
  await dialog.getByRole('button', { name: 'Open next wave' }).click()
  await expect.element(dialog).not.toBeInTheDocument()
  const [first, second] = sent(continueRollout)
  expect(first).toEqual({ idempotencyKey: expect.any(String) })
  expect(second).toEqual(first)
})

it('the chart of a rollout is drawn on request, with the way it took and how often', async () => {
  detail(running)
  await button('Show chart').click()
  await expect.element(page.getByRole('img', { name: 'Gateway #3: Draft, Filling' })).toBeVisible()
  await expect.element(page.getByText('rollout.started ×1')).toBeInTheDocument()
  const present = document.querySelector('[data-state][data-lit]')
  expect(present?.parentElement?.textContent).toBe('filling')
  await button('Hide chart').click()
  await expect.element(page.getByRole('img', { name: 'Gateway #3: Draft, Filling' })).not.toBeInTheDocument()
})
