import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { afterEach, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { invites, projectInvites } from '../../../contract/invites'
import { signingKeys } from '../../../contract/keys'
import { members } from '../../../contract/members'
import { projectMembers } from '../../../contract/guests'
import type { Overview } from '../../../contract/monitor'
import type { Grants } from '../../../contract/permissions'
import { releases } from '../../../contract/releases'
import { projectRollouts } from '../../../contract/rollouts'
import type { User } from '../../../contract/users'
import type { Api } from '../../../src/api/client'
import { permissionsQuery } from '../../../src/api/queries/permissions'
import { selfQuery } from '../../../src/api/queries/self'
import { SetupPanel } from '../../../src/features/monitor/setup-panel'
import { ShowSetup } from '../../../src/features/settings/show-setup'
import { makeSystem, mount } from './system'

type Facts = {
  keys: readonly { state: string; purpose: string }[]
  devices: { total: number; never_seen: number }
  releases: readonly { signatures: readonly string[] }[]
  rollouts: { open: number; completed: number }
  members: number
  invites: readonly { state: string }[]
}
const nothing: Facts = {
  keys: [],
  devices: { total: 0, never_seen: 0 },
  releases: [],
  rollouts: { open: 0, completed: 0 },
  members: 1,
  invites: [],
}

afterEach(() => localStorage.clear())

/** The panel of a project of which a server knows this, for a member with these permissions. */
const open = (facts: Partial<Facts>, { scope = 'none', grants = null as Grants } = {}) => {
  const known = { ...nothing, ...facts }
  const projectId = 'p1'
  const asked: unknown[] = []
  const answers = new Map<unknown, object>([
    [signingKeys, { signing_keys: known.keys }],
    [releases, { releases: known.releases, total: known.releases.length }],
    [projectRollouts, { rollouts: [], total: known.rollouts.completed, groups: { open: known.rollouts.open } }],
    [members, { members: [], total: known.members }],
    [projectMembers, { members: [], total: known.members }],
    [invites, { invites: known.invites }],
    [projectInvites, { invites: known.invites }],
  ])
  const api = (async (endpoint: unknown) => {
    asked.push(endpoint)
    return answers.get(endpoint) ?? Promise.reject(new Error('not expected'))
  }) as unknown as Api // Implements only these endpoints.
  const system = { ...makeSystem(), api }
  const { queryClient } = system
  queryClient.setDefaultOptions({ queries: { staleTime: Infinity, retry: false } })
  queryClient.setQueryData(selfQuery(api).queryKey, { id: 'u1' } as User) // The one field that is read.
  queryClient.setQueryData(permissionsQuery(api, scope === 'none' ? null : scope, projectId).queryKey, { grants, baseRole: null })
  const counts = { ...known.devices } as Overview['counts'] // The two fields that are read.
  const top = createRootRoute()
  const monitor = createRoute({
    getParentRoute: () => top,
    path: '/organizations/$organizationId/projects/$projectId/monitor',
    component: () => (
      <>
        <SetupPanel counts={counts} />
        <ShowSetup projectId={projectId} />
        <p>The page</p>
      </>
    ),
  })
  const history = createMemoryHistory({ initialEntries: [`/organizations/${scope}/projects/${projectId}/monitor`] })
  const router = createRouter({ routeTree: top.addChildren([monitor]), history })
  // It has other routes than the router of the console.
  mount(system, <RouterProvider router={router as never} />)
  return { asked, base: `/organizations/${scope}/projects/${projectId}`, queryClient }
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
    `${base}/access`,
    `${base}/devices/device-config-generator`,
    `${base}/releases/list/add`,
    `${base}/releases/list`,
    `${base}/members/invites/add`,
  ])
})

it.each<[string, Partial<Facts>, string[]]>([
  ['a key', { keys: [{ state: 'active', purpose: 'both' }] }, rows(done, todo, todo, todo, todo)],
  ['a revoked key', { keys: [{ state: 'revoked', purpose: 'release' }] }, rows(todo, todo, todo, todo, todo)],
  ['a key for secure boot', { keys: [{ state: 'active', purpose: 'secure_boot' }] }, rows(todo, todo, todo, todo, todo)],
  ['a device never seen', { devices: { total: 1, never_seen: 1 } }, rows(todo, doing, todo, todo, todo)],
  ['a device seen', { devices: { total: 2, never_seen: 1 } }, rows(todo, done, todo, todo, todo)],
  ['a draft', { releases: [{ signatures: [] }] }, rows(todo, todo, doing, todo, todo)],
  ['a signed release', { releases: [{ signatures: [] }, { signatures: ['s'] }] }, rows(done, todo, done, todo, todo)],
  ['an open rollout', { rollouts: { open: 1, completed: 0 } }, rows(todo, todo, todo, doing, todo)],
  ['a completed rollout', { rollouts: { open: 1, completed: 1 } }, rows(done, done, done, done, todo)],
  ['an expired invite', { invites: [{ state: 'expired' }] }, rows(todo, todo, todo, todo, todo)],
  ['an open invite', { invites: [{ state: 'pending' }] }, rows(todo, todo, todo, todo, doing)],
  ['a second member', { members: 2 }, rows(todo, todo, todo, todo, done)],
])('the steps follow from %s', async (_, facts, wanted) => {
  open(facts)
  await expect.poll(rowsOf).toEqual(wanted)
})

it('the panel is not shown when every step is done, and then only rollouts and members were requested', async () => {
  const { asked, queryClient } = open({ rollouts: { open: 0, completed: 1 }, members: 2 })
  await expect.element(page.getByText('The page')).toBeVisible()
  await expect.poll(() => asked.length).toBe(2)
  await expect.poll(() => queryClient.isFetching()).toBe(0)
  expect(new Set(asked)).toEqual(new Set([projectRollouts, projectMembers]))
  expect(panel().query()).toBeNull()
})

it('a step that the member may not do says which permission it needs, and that a press asks for access', async () => {
  open({}, { scope: 'org_hedgerow0001', grants: ['organization:view', 'project:view', 'project:manage_releases'] })
  const refused = panel().getByRole('button', { name: 'Add a signing key', exact: true })
  await expect.element(refused).toHaveAttribute('aria-disabled', 'true')
  await expect
    .element(refused)
    .toHaveAccessibleDescription(
      'Needs project:manage_access. Roles that have it: owner, admin, developer. Press to ask for access.',
    )
  await expect.element(panel().getByText(/^Needs organization:manage_members\./)).toBeVisible()
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
