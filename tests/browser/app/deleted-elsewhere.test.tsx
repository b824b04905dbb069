import { createMemoryHistory, createRootRoute, createRoute, createRouter, Outlet, RouterProvider } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { expect, it, onTestFinished } from 'vitest'
import { page } from 'vitest/browser'
import { projectAuditLog } from '../../../contract/accounts/audit'
import { memberPermissions } from '../../../contract/accounts/organizations'
import type { Endpoint } from '../../../contract/core/endpoint'
import { tag as readTag } from '../../../contract/fleet/tags'
import { release as readRelease } from '../../../contract/updates/releases'
import { bundle as readBundle } from '../../../contract/updates/secure-boot/bundles'
import type { Api } from '../../../src/api/client'
import { ApiError } from '../../../src/api/failure'
import { createQueryClient } from '../../../src/api/query-client'
import ReleasePage from '../../../src/features/releases/release-page'
import BundlePage from '../../../src/features/secure-boot/bundle-page'
import EditTagPage from '../../../src/features/tags/edit-tag-page'
import { createModals } from '../../../src/system/modals/modals'
import { makeSystem, mount } from './system'

const organizationId = 'org_hedgerow0001'
const projectId = '01K0000000000000000000PRJ1'
const project = '/organizations/$organizationId/projects/$projectId'
const at = `/organizations/${organizationId}/projects/${projectId}`

const missing = () => {
  throw new ApiError({
    status: 404,
    code: 'not_found',
    message: 'The Requested Resource Cannot Be Found',
    details: [],
    requestId: 'request-1',
    requiredPermission: undefined,
    requiredPlan: undefined,
    retryAfterS: undefined,
    about: undefined,
  })
}
const common = {
  id: '01K0000000000000000000GONE',
  project_id: projectId,
  revision: 1,
  created_at: '2026-06-01T10:00:00+00:00',
  updated_at: '2026-06-01T10:00:00+00:00',
  description: '',
}
const release = {
  ...common,
  name: 'Gateway',
  version: 7,
  display_version: null,
  state: 'draft',
  state_reason: null,
  warnings: [],
  assets: [],
  signatures: [],
}
const tag = { ...common, name: 'line-1', colour: 'sky', device_count: 0, used_by_rollouts: 0, used_by_enrollment_tokens: 0 }
const bundle = {
  ...common,
  name: 'Gateway boot',
  version: 3,
  platform: 'mcuboot',
  state: 'draft',
  state_reason: null,
  hardware_models: ['gw'],
  rollback_version: 2,
  keys: [],
  key_hash: null,
  artifacts: [],
  checks: [],
  checked_at: null,
  completeness: { present: 0, total: 0, required: [] },
  applied: { devices: 0, closed: 0 },
  releases: [],
}
/** A page that reads this object, which can be taken away. `others`: what else the server answers; the rest stays without answer. */
const open = (
  path: string,
  component: () => ReactNode,
  read: Endpoint,
  object: object,
  others: [Endpoint, () => unknown][] = [],
) => {
  let isGone = false
  const answers = new Map<Endpoint, () => unknown>([
    [memberPermissions, () => ({ permissions: null, baseRole: 'owner' })],
    [read, () => (isGone ? missing() : object)],
    ...others,
  ])
  const api = (async (endpoint: Endpoint) => {
    const answer = answers.get(endpoint)
    return answer ? answer() : new Promise(() => {})
  }) as unknown as Api // Implements only these endpoints.
  const top = createRootRoute({ component: () => <Outlet /> })
  const route = createRoute({ getParentRoute: () => top, path: `${project}${path}`, component })
  const address = path.split('/').map((part) => (part.startsWith('$') ? common.id : part))
  const router = createRouter({
    routeTree: top.addChildren([route]),
    history: createMemoryHistory({ initialEntries: [`${at}${address.join('/')}`] }),
  })
  const system = makeSystem(createQueryClient())
  const modals = createModals()
  system.modals.actor = modals
  onTestFinished(() => modals.stop())
  // It has other routes than the router of the console.
  mount({ ...system, api }, <RouterProvider router={router as never} />)
  return { takeAway: () => void (isGone = true), queryClient: system.queryClient }
}
const entry = (action: string) => ({
  entries: [
    { action: 'tag.update', occurred_at: '2026-06-01T12:00:00+00:00', actor: { kind: 'user', name: 'Bo Lind' } },
    { action, occurred_at: '2026-06-01T11:00:00+00:00', actor: { kind: 'user', name: 'Ana Ruiz' } },
  ],
  next_cursor: null,
  total: 2,
})
const alert = () => page.getByRole('alert')
const button = (name: string) => page.getByRole('button', { name, exact: true })
const expectNoControls = async () => {
  expect(page.getByRole('button').elements()).toEqual([])
  expect(page.getByRole('textbox').elements()).toEqual([])
  await expect.element(page.getByRole('alertdialog')).not.toBeInTheDocument()
}
const saysBy = (name: string) =>
  new RegExp(`^${name} was deleted by Ana Ruiz on 06/01/2026 .{8}\\. It cannot be restored\\.`, 'v')

it.each([
  ['release', '/releases/list/$releaseId', ReleasePage, readRelease, release, 'release.delete', 'Releases', '/releases/list'],
  [
    'bundle',
    '/secure-boot/list/$artifactsBundleId',
    BundlePage,
    readBundle,
    bundle,
    'bundle.delete',
    'Secure Boot',
    '/secure-boot/list',
  ],
  ['tag', '/tags/list/$tagId/edit', EditTagPage, readTag, tag, 'tag.delete', 'Tags', '/tags/list'],
] as const)(
  'the page of a %s that somebody deleted says who and when, leads to the list, and has no controls',
  async (_, path, component, read, object, action, list, href) => {
    const { takeAway, queryClient } = open(path, component, read, object, [[projectAuditLog, () => entry(action)]])
    await expect.element(page.getByRole('heading', { level: 1, name: object.name })).toBeVisible()
    expect(page.getByRole('button').elements()).not.toEqual([])
    takeAway()
    // Not all that is read has an answer here.
    void queryClient.invalidateQueries()
    await expect.element(alert()).toHaveTextContent(saysBy(object.name))
    await expect.element(alert().getByRole('link', { name: list })).toHaveAttribute('href', `${at}${href}`)
    await expect.element(page.getByRole('heading', { level: 1, name: object.name })).toBeVisible()
    await expectNoControls()
  },
)

it('a page whose object is gone says so to a reader who may not see the audit log', async () => {
  const { takeAway, queryClient } = open('/tags/list/$tagId/edit', EditTagPage, readTag, tag, [[projectAuditLog, missing]])
  await expect.element(button('Save')).toBeVisible()
  takeAway()
  // Not all that is read has an answer here.
  void queryClient.invalidateQueries()
  await expect.element(alert()).toHaveTextContent('line-1 was deleted.Tags')
  await expectNoControls()
})
