import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { afterEach, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { Overview, Setup } from '../../../contract/overview/monitor'
import type { Grants } from '../../../contract/core/permissions'
import type { User } from '../../../contract/accounts/users'
import { permissionsQuery } from '../../../src/api/queries/accounts/permissions'
import { selfQuery } from '../../../src/api/queries/accounts/self'
import { SetupPanel } from '../../../src/features/monitor/setup-panel'
import { ShowSetup } from '../../../src/features/settings/show-setup'
import { makeSystem, mount } from './system'

type Facts = { devices: { total: number; never_seen: number }; setup: Partial<Setup> }
const nothing: Setup = { key: false, release: 'none', rollout: 'none', people: 'one' }

afterEach(() => localStorage.clear())

/** The panel of a project with these facts, for a member with these permissions. */
const open = (known: Partial<Facts>, { scope = 'none', grants = null as Grants } = {}) => {
  const projectId = 'p1'
  const system = makeSystem()
  const { api } = system
  const { queryClient } = system
  queryClient.setDefaultOptions({ queries: { staleTime: Infinity, retry: false } })
  queryClient.setQueryData(selfQuery(api).queryKey, { id: 'u1' } as User) // The one field that is read.
  queryClient.setQueryData(permissionsQuery(api, scope === 'none' ? null : scope, projectId).queryKey, { grants, baseRole: null })
  const counts = { ...(known.devices ?? { total: 0, never_seen: 0 }) } as Overview['counts'] // The two fields that are read.
  const facts = { counts, setup: { ...nothing, ...known.setup } }
  const top = createRootRoute()
  const monitor = createRoute({
    getParentRoute: () => top,
    path: '/organizations/$organizationId/projects/$projectId/monitor',
    component: () => (
      <>
        <SetupPanel facts={facts} />
        <ShowSetup projectId={projectId} />
        <p>The page</p>
      </>
    ),
  })
  const history = createMemoryHistory({ initialEntries: [`/organizations/${scope}/projects/${projectId}/monitor`] })
  const router = createRouter({ routeTree: top.addChildren([monitor]), history })
  // It has other routes than the router of the console.
  mount(system, <RouterProvider router={router as never} />)
  return { base: `/organizations/${scope}/projects/${projectId}` }
}

const panel = () => page.getByRole('region', { name: 'Set up this project' })
/** The state of each step and its title. */
const rowsOf = () =>
  [...document.querySelectorAll('section svg[role=img]')].map(
    (shape) => `${shape.getAttribute('aria-label')}: ${shape.nextElementSibling?.textContent}`,
  )
const titles = ['Add a signing key', 'Connect a device', 'Add and sign a release', 'Roll out a release', 'Invite a second person']
const rows = (...states: string[]) => states.map((state, index) => `${state}: ${titles[index]}`)
const [todo, doing, done] = ['Not started', 'In progress', 'Done'] as const

it('a new project has every step to do, each with a link to its page', async () => {
  const { base } = open({})
  await expect.element(panel().getByText('0 of 5 done')).toBeVisible()
  expect(rowsOf()).toEqual(rows(todo, todo, todo, todo, todo))
  const links = titles.map((name) => panel().getByRole('link', { name, exact: true }).element().getAttribute('href'))
  expect(links).toEqual([
    `${base}/access?add=signing_key`,
    `${base}/devices/device-config-generator`,
    `${base}/releases/list/add`,
    `${base}/releases/list`,
    `${base}/members/invites/add`,
  ])
})

it.each<[string, Partial<Facts>, string[]]>([
  ['a key', { setup: { key: true } }, rows(done, todo, todo, todo, todo)],
  ['a device never seen', { devices: { total: 1, never_seen: 1 } }, rows(todo, doing, todo, todo, todo)],
  ['a device seen', { devices: { total: 2, never_seen: 1 } }, rows(todo, done, todo, todo, todo)],
  ['a draft', { setup: { release: 'added' } }, rows(todo, todo, doing, todo, todo)],
  ['a signed release', { setup: { release: 'signed' } }, rows(done, todo, done, todo, todo)],
  ['an open rollout', { setup: { rollout: 'open' } }, rows(todo, todo, todo, doing, todo)],
  ['a completed rollout', { setup: { rollout: 'completed' } }, rows(done, done, done, done, todo)],
  ['an open invite', { setup: { people: 'invited' } }, rows(todo, todo, todo, todo, doing)],
  ['a second member', { setup: { people: 'several' } }, rows(todo, todo, todo, todo, done)],
])('the steps follow from %s', async (_, facts, wanted) => {
  open(facts)
  await expect.poll(rowsOf).toEqual(wanted)
})

it('the panel is not shown when every step is done', async () => {
  open({ setup: { rollout: 'completed', people: 'several' } })
  await expect.element(page.getByText('The page')).toBeVisible()
  expect(panel().query()).toBeNull()
})

it('a step that the member may not do says which permission it needs, and that a press asks for access', async () => {
  open({}, { scope: 'org_hedgerow0001', grants: ['organization:view', 'project:view', 'project:manage_releases'] })
  const refused = panel().getByRole('button', { name: 'Add a signing key', exact: true })
  await expect.element(refused).toHaveAttribute('aria-disabled', 'true')
  await expect
    .element(refused)
    .toHaveAccessibleDescription('Needs “manage access”. Roles that have it: owner, admin, developer. Press to ask for access.')
  await expect.element(panel().getByText(/^Needs “manage members of the organization”\./)).toBeVisible()
  await expect.element(panel().getByRole('link', { name: 'Roll out a release' })).toBeVisible()
})

it('the panel stays hidden for its user in this browser until it is shown again', async () => {
  open({})
  await panel().getByRole('button', { name: 'Hide setup steps' }).click()
  await expect.element(panel()).not.toBeInTheDocument()
  expect(Object.keys(localStorage).filter((key) => key.startsWith('setup_hidden.u1.'))).toHaveLength(1)
  await page.getByRole('button', { name: 'Show setup steps' }).click()
  await expect.element(panel()).toBeVisible()
  expect(Object.keys(localStorage).filter((key) => key.startsWith('setup_hidden.'))).toEqual([])
})
