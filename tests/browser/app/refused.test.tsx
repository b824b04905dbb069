import { QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { releases } from '../../../contract/updates/releases'
import { organizationsQuery } from '../../../src/api/queries/accounts/organizations'
import { permissionsQuery } from '../../../src/api/queries/accounts/permissions'
import { projectsQuery } from '../../../src/api/queries/accounts/projects'
import { makeSystem } from './system'

const scope = 'org_hedgerow0001'

beforeEach(() => localStorage.setItem('session_token', `ses_${'a'.repeat(43)}check6`))
afterEach(() => {
  vi.restoreAllMocks()
  localStorage.clear()
})

/** The system with a server that answers every call with this status, and what its charts are told. */
const refusing = (status: number) => {
  vi.spyOn(window, 'fetch').mockImplementation(async () => new Response('{}', { status }))
  const { api, queryClient, auth, organization } = makeSystem()
  const told = {
    auth: vi.spyOn(auth, 'send').mockImplementation(() => {}),
    organization: vi.spyOn(organization, 'send').mockImplementation(() => {}),
  }
  return { api, queryClient, told: () => [told.auth.mock.calls.flat(), told.organization.mock.calls.flat()] }
}
const refusal = (status: number) => expect.objectContaining({ status })

describe.each([401, 403, 404])('§7: a refusal with %d', (status) => {
  it('of the projects and of the permissions of an organization is handled by its chart alone', async () => {
    const { api, queryClient, told } = refusing(status)
    await expect(queryClient.fetchQuery(projectsQuery(api, scope))).rejects.toEqual(refusal(status))
    await expect(queryClient.fetchQuery(permissionsQuery(api, scope))).rejects.toEqual(refusal(status))
    const lost = { type: 'organization.refused', scope }
    expect(told()).toEqual([[], [lost, lost]])
  })

  it('of another call is not', async () => {
    const { api, queryClient, told } = refusing(status)
    await expect(queryClient.fetchQuery(organizationsQuery(api))).rejects.toEqual(refusal(status))
    await expect(queryClient.fetchQuery(permissionsQuery(api, scope, 'p1'))).rejects.toEqual(refusal(status))
    const toAuth = status === 401 ? { type: 'session.refused', sessionTag: 'check6' } : undefined
    const toOrganization = status === 403 ? { type: 'permissions.stale' } : undefined
    expect(told()).toEqual([toAuth, toOrganization].map((event) => (event ? [event, event] : [])))
  })
})

it('R22: a 403 requests the permissions of a guest in a personal project again, but not without end', async () => {
  let role = 'project_operator'
  const fetched = vi.spyOn(window, 'fetch').mockImplementation(async (input) => {
    const isPermissions = String(input instanceof Request ? input.url : input).endsWith('/permissions')
    if (!isPermissions || role === 'none') return new Response('{}', { status: 403 })
    return Response.json({ permissions: {}, baseRole: role })
  })
  const { api, queryClient, organization } = makeSystem()
  vi.spyOn(organization, 'send').mockImplementation(() => {})
  const query = new QueryObserver(queryClient, { ...permissionsQuery(api, null, 'p1'), retry: false })
  onTestFinished(query.subscribe(() => {}))
  await expect.poll(() => query.getCurrentResult().data?.baseRole).toBe('project_operator')
  role = 'project_viewer'
  await expect(api(releases, { projectId: 'p1' })).rejects.toEqual(refusal(403))
  await expect.poll(() => query.getCurrentResult().data?.baseRole).toBe('project_viewer')
  role = 'none'
  await expect(api(releases, { projectId: 'p1' })).rejects.toEqual(refusal(403))
  await expect.poll(() => query.getCurrentResult().isError).toBe(true)
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(fetched).toHaveBeenCalledTimes(5)
})
