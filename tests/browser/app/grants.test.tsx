import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { afterEach, expect, it, vi } from 'vitest'
import { page } from 'vitest/browser'
import type { Grants } from '../../../contract/core/permissions'
import type { User } from '../../../contract/accounts/users'
import { permissionsQuery } from '../../../src/api/queries/accounts/permissions'
import { selfQuery } from '../../../src/api/queries/accounts/self'
import { parseSearch, stringifySearch } from '../../../src/app/search'
import { useExperiments } from '../../../src/system/experiments'
import { useAllowed, useRefusal } from '../../../src/system/scope/grants'
import { ForbiddenRoute, requirePermissions } from '../../../src/system/scope/guard'
import { makeSystem, mount } from './system'

const organizationId = 'org_hedgerow0001'

afterEach(() => void vi.restoreAllMocks())

const Sample = () => {
  const shown = useExperiments()
  const allowed = useAllowed('project:create')
  const refusal = useRefusal('project:create')
  return <p>{`${shown ? 'shown' : 'hidden'} and ${allowed ? 'allowed' : (refusal ?? 'contradictory')}`}</p>
}
const said = (text: string) => page.getByText(text, { exact: true })

/** A page of the organization for a user of this channel. */
const open = (query: string, channel: User['feature_channel'], at = `/organizations/${organizationId}/projects`) => {
  const system = makeSystem()
  const { api, queryClient } = system
  queryClient.setDefaultOptions({ queries: { staleTime: Infinity, retry: false } })
  queryClient.setQueryData(selfQuery(api).queryKey, { id: 'u1', feature_channel: channel } as User) // The one field that is read.
  const top = createRootRoute()
  const routes = ['/organizations/$organizationId/projects', '/organizations/$organizationId/projects/$projectId/monitor'].map(
    (path) => createRoute({ getParentRoute: () => top, path, component: Sample }),
  )
  const history = createMemoryHistory({ initialEntries: [`${at}${query}`] })
  const router = createRouter({ routeTree: top.addChildren(routes), history, parseSearch, stringifySearch })
  // It has other routes than the router of the console.
  const show = () => mount(system, <RouterProvider router={router as never} />)
  const tell = (grants: Grants) =>
    queryClient.setQueryData(permissionsQuery(api, organizationId).queryKey, { grants, baseRole: 'viewer' })
  return { system, show, tell }
}
const needs = 'Needs “create projects”. Roles that have it: owner, admin, developer. Press to ask for access.'

it.each([
  ['', 'stable', 'hidden'],
  ['?experimental=true', 'stable', 'shown'],
  ['', 'experimental', 'shown'],
  ['?experimental=true', 'experimental', 'shown'],
] as const)('R20: at %j in the channel %s an experiment is %s, and no permission is granted', async (query, channel, wanted) => {
  const { system, show, tell } = open(query, channel)
  tell(['organization:view'])
  show()
  await expect.element(said(`${wanted} and ${needs}`)).toBeVisible()
  const visit = {
    context: { api: system.api, queryClient: system.queryClient, system },
    preload: false,
    params: { organizationId },
    matches: [{ staticData: { needs: ['project:create' as const] } }],
  }
  await expect(requirePermissions(visit)).rejects.toBeInstanceOf(ForbiddenRoute)
})

it('R7: nothing is allowed while permissions load, then what the list has, and all of it without a list', async () => {
  let fail = () => {}
  const held = new Promise<Response>((_, reject) => (fail = () => reject(new TypeError('no connection'))))
  vi.spyOn(window, 'fetch').mockReturnValue(held)
  const { show, tell } = open('', 'stable')
  show()
  await expect.element(said('hidden and Permissions are loading')).toBeVisible()
  // An error fails closed.
  fail()
  await expect.element(said('hidden and Your permissions could not be loaded. Reload the page.')).toBeVisible()
  tell(['project:create'])
  await expect.element(said('hidden and allowed')).toBeVisible()
  tell(['project:view'])
  await expect.element(said(`hidden and ${needs}`)).toBeVisible()
  tell(null)
  await expect.element(said('hidden and allowed')).toBeVisible()
})

it.each([
  [404, 'hidden and Your permissions could not be loaded. Reload the page.'],
  [403, 'hidden and Your permissions could not be loaded. Reload the page.'],
  [503, 'hidden and allowed'],
])('the permissions of a guest of a project, reloaded with the answer %s: %s', async (status, wanted) => {
  const { system, show } = open('', 'stable', '/organizations/none/projects/p1/monitor')
  const { queryKey } = permissionsQuery(system.api, null, 'p1')
  system.queryClient.setQueryData(queryKey, { grants: ['project:create'], baseRole: 'developer' })
  vi.spyOn(window, 'fetch').mockResolvedValue(new Response('{}', { status }))
  show()
  await expect.element(said('hidden and allowed')).toBeVisible()
  await system.queryClient.invalidateQueries({ queryKey })
  await expect.element(said(wanted)).toBeVisible()
})
