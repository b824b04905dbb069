import { QueryClient } from '@tanstack/react-query'
import { expect, it } from 'vitest'
import { type Endpoint, pathOf } from '../../../contract/core/endpoint'
import type { Api } from '../client'
import { accessTokensQuery } from './accounts/access-tokens'
import { enrollmentTokensQuery } from './fleet/enrollment-tokens'
import { interstitialsQuery } from './accounts/interstitials'
import { organizationsQuery } from './accounts/organizations'
import { permissionsQuery } from './accounts/permissions'
import { projectsQuery } from './accounts/projects'
import { selfQuery } from './accounts/self'
import { tagsQuery } from './fleet/tags'

type Call = { endpoint: Endpoint; params: Record<string, string>; query: unknown }

/** A client whose server answers every call with this, and the requests that it has got. */
const answering = (answer: unknown) => {
  const asked: string[] = []
  const queries: unknown[] = []
  const call = async ({ endpoint, params, query }: Call) => {
    asked.push(`${endpoint.method} ${pathOf(endpoint.path, params)}`)
    queries.push(query)
    return answer
  }
  const api = ((endpoint: Endpoint, params: Record<string, string>, options: { query?: unknown } = {}) =>
    call({ endpoint, params, query: options.query })) as unknown as Api // Answers every endpoint alike.
  return { api, asked, queries, client: new QueryClient({ defaultOptions: { queries: { retry: false } } }) }
}

it("§7: GET /users/self is kept under the key 'self', and its field data is read", async () => {
  const user = { id: 'u1' }
  const { api, asked, client } = answering({ data: user })
  expect(await client.fetchQuery(selfQuery(api))).toBe(user)
  expect([asked, client.getQueryData(['self'])]).toEqual([['GET /users/self'], user])
})

it('§7, R4: the projects of an organization, or GET /projects for the personal space, which the API does not know by a word', async () => {
  const projects = [{ id: 'p1' }]
  const { api, asked, client } = answering({ projects })
  expect(await client.fetchQuery(projectsQuery(api, null))).toBe(projects)
  expect(await client.fetchQuery(projectsQuery(api, 'org_1'))).toBe(projects)
  expect(asked).toEqual(['GET /projects', 'GET /organizations/org_1/projects'])
})

it('§7: GET /organizations and GET /interstitials', async () => {
  const organizations = [{ public_id: 'org_1' }]
  const interstitials = [{ interstitial_id: 'A' }]
  const { api, asked, client } = answering({ organizations, interstitials })
  expect(await client.fetchQuery(organizationsQuery(api))).toBe(organizations)
  expect(await client.fetchQuery(interstitialsQuery(api))).toBe(interstitials)
  expect(asked).toEqual(['GET /organizations', 'GET /interstitials'])
})

it('§6, §7, R24: the permissions of the caller in an organization are one list, kept with the base role', async () => {
  const permissions = { organization: ['organization:view'], project: ['project:view', 'organization:view'] }
  const { api, asked, queries, client } = answering({ permissions, baseRole: 'viewer' })
  const wanted = { grants: ['organization:view', 'project:view'], baseRole: 'viewer' }
  expect(await client.fetchQuery(permissionsQuery(api, 'org_1'))).toEqual(wanted)
  expect(await client.fetchQuery(permissionsQuery(api, 'org_1', 'p1'))).toEqual(wanted)
  const path = 'GET /organizations/org_1/members/self/permissions'
  expect(asked).toEqual([path, path])
  expect(queries).toEqual([{}, { project_id: 'p1' }])
})

it('R7: the owner of a personal space has no list, and a guest in its project has one', async () => {
  const owner = answering({ permissions: null, baseRole: 'owner' })
  expect(await owner.client.fetchQuery(permissionsQuery(owner.api, null))).toEqual({ grants: null, baseRole: null })
  expect(owner.asked).toEqual([])
  expect(await owner.client.fetchQuery(permissionsQuery(owner.api, null, 'p1'))).toEqual({ grants: null, baseRole: 'owner' })
  const guest = answering({ permissions: ['project:view'], baseRole: 'viewer' })
  const wanted = { grants: ['project:view'], baseRole: 'viewer' }
  expect(await guest.client.fetchQuery(permissionsQuery(guest.api, null, 'p1'))).toEqual(wanted)
  expect(guest.asked).toEqual(['GET /projects/p1/members/self/permissions'])
})

it.each([
  ['tags', tagsQuery],
  ['enrollment_tokens', enrollmentTokensQuery],
  ['access_tokens', accessTokensQuery],
] as const)('a list that is shown whole has the rows of all pages: %s', async (plural, listQuery) => {
  const api = (async (_endpoint: Endpoint, _params: unknown, { query }: { query: { cursor?: string } }) =>
    query.cursor === undefined
      ? { [plural]: [{ id: 'newest' }], next_cursor: 'more' }
      : { [plural]: [{ id: query.cursor }], next_cursor: null }) as unknown as Api // Answers every list alike.
  // Of the rows only the id is read.
  const query = listQuery(api, 'p1') as ReturnType<typeof tagsQuery>
  const rows = await new QueryClient().fetchQuery(query)
  expect(rows.map(({ id }) => id)).toEqual(['newest', 'more'])
})
