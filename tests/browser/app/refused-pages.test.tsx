import { createMemoryHistory, createRootRoute, createRoute, createRouter, Outlet, RouterProvider } from '@tanstack/react-router'
import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { ApiError } from '../../../src/api/failure'
import { FailedPage } from '../../../src/system/failure/failed-page'
import { paletteOpened } from '../../../src/system/palette-state'
import { makeSystem, mount } from './system'

const project = '/organizations/$organizationId/projects/$projectId'
const within = '/organizations/o1/projects/p1'

const refusal = (status: number, code = 'of_a_test') =>
  new ApiError({
    status,
    code,
    message: 'Of a test',
    details: [],
    requestId: 'request-1',
    requiredPermission: undefined,
    requiredPlan: undefined,
    retryAfterS: undefined,
    about: undefined,
  })

/** A page of the console at this path, whose reads fail. */
const openFailed = (path: string, error: Error) => {
  const top = createRootRoute({ component: () => <Outlet /> })
  const load = () => {
    throw error
  }
  const route = createRoute({ getParentRoute: () => top, path, loader: load, component: () => null })
  const address = path.replace('$organizationId', 'o1').replace('$projectId', 'p1').replaceAll('$', 'of-')
  const router = createRouter({
    routeTree: top.addChildren([route]),
    history: createMemoryHistory({ initialEntries: [address] }),
    defaultErrorComponent: FailedPage,
  })
  // It has other routes than the router of the console.
  mount(makeSystem(), <RouterProvider router={router as never} />)
}
const alert = () => page.getByRole('alert')
const again = () => page.getByRole('button', { name: 'Try again' })

it.each([
  ['/organizations/$organizationId/settings', 'organization', { Organizations: '/account/settings/organizations/list' }],
  [`${project}/monitor`, 'project', { Projects: '/organizations/o1/projects' }],
  [
    `${project}/devices/list/$deviceId/details`,
    'device',
    { Devices: `${within}/devices/list`, 'Deleted Devices': `${within}/devices/list/deleted` },
  ],
  [`${project}/devices/jobs/$jobId`, 'bulk change', { 'Bulk changes': `${within}/devices/jobs` }],
  [`${project}/releases/list/$releaseId/status`, 'release', { Releases: `${within}/releases/list` }],
  [`${project}/releases/rollouts/$rolloutId`, 'rollout', { Rollouts: `${within}/releases/rollouts` }],
  [`${project}/secure-boot/list/$artifactsBundleId`, 'bundle', { 'Secure Boot': `${within}/secure-boot/list` }],
  [`${project}/tags/list/$tagId/edit`, 'tag', { Tags: `${within}/tags/list` }],
  [`${project}/members/list/$memberId`, 'person', { Members: `${within}/members/list` }],
])(
  'a page at %s without its object says which %s is missing, and leads to its list and to the search',
  async (path, noun, lists) => {
    openFailed(path, refusal(404, 'not_found'))
    await expect.element(page.getByRole('heading', { name: 'The Requested Resource Cannot Be Found' })).toBeVisible()
    await expect.element(alert()).toHaveTextContent(`This ${noun} was not found. It may have been deleted, or it belongs to`)
    for (const [name, href] of Object.entries(lists))
      await expect.element(alert().getByRole('link', { name, exact: true })).toHaveAttribute('href', href)
    expect(alert().getByRole('link').elements()).toHaveLength(Object.keys(lists).length)
    const before = paletteOpened()
    await alert().getByRole('button', { name: 'Search' }).click()
    expect(paletteOpened()).not.toBe(before)
    await expect.element(again()).not.toBeInTheDocument()
  },
)

it.each([400, 403, 404, 409, 410, 412, 422])('a page that is refused with %i does not offer to try again', async (status) => {
  openFailed(`${project}/releases/list/$releaseId`, refusal(status))
  await expect.element(alert().getByRole('link', { name: 'Releases' })).toBeVisible()
  await expect.element(alert()).toHaveTextContent('request-1')
  await expect.element(again()).not.toBeInTheDocument()
})

it.each([
  [0, 'network_error'],
  [408, 'of_a_test'],
  [409, 'idempotency_in_progress'],
  [429, 'too_many_requests'],
  [500, 'internal'],
  [503, 'unavailable'],
])('a page that fails with %i, %s offers to try again', async (status, code) => {
  openFailed(`${project}/releases/list/$releaseId`, refusal(status, code))
  await expect.element(again()).toBeVisible()
  await expect.element(alert().getByRole('link')).not.toBeInTheDocument()
})
