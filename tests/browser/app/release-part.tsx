import { useQuery } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { personalProjectPermissions } from '../../../contract/accounts/projects'
import { self } from '../../../contract/accounts/users'
import type { Endpoint } from '../../../contract/core/endpoint'
import { signingKeys } from '../../../contract/fleet/keys'
import { releaseManifest, releaseToSign } from '../../../contract/updates/release-signing'
import {
  release as readRelease,
  releases as listReleases,
  type Release,
  returnVersions,
} from '../../../contract/updates/releases'
import type { Api } from '../../../src/api/client'
import { releaseQuery } from '../../../src/api/queries/updates/releases'
import { useSystem } from '../../../src/system/system'
import { makeSystem, mount } from './system'

const path = '/organizations/$organizationId/projects/$projectId/releases/list/$releaseId'
const toSign = { payload_type: 't', to_sign_base64: '', pae_sha256: '0'.repeat(64), command: 'sign' }

/** What the server answers; the test changes it. */
type Server = {
  release: Release
  keys: readonly object[]
  envelope?: ArrayBuffer
  sha256: string
  payload?: string
  earlier?: readonly Release[]
  /** The older versions that devices run. */
  returns?: readonly number[]
}

/** A part of the page of a release. */
export const showReleasePart = (server: Server, Part: (props: { release: Release; isSigned: boolean }) => React.ReactNode) => {
  const answers = new Map<Endpoint, () => unknown>([
    [readRelease, () => server.release],
    [listReleases, () => ({ releases: server.earlier ?? [], next_cursor: null })],
    [returnVersions, () => ({ versions: server.returns ?? [], releases: [] })],
    [signingKeys, () => ({ signing_keys: server.keys })],
    [releaseManifest, () => server.envelope],
    [releaseToSign, () => ({ ...toSign, payload_base64: server.payload ?? '', manifest_sha256: server.sha256 })],
    [personalProjectPermissions, () => ({ permissions: null, baseRole: null })],
    [self, () => ({ data: { id: 'u1' } })],
  ])
  const api = (async (endpoint: Endpoint) => {
    const answer = answers.get(endpoint)
    if (!answer) throw new Error(`no answer for ${endpoint.path}`)
    return answer()
  }) as unknown as Api // Implements only these endpoints.
  const Shown = () => {
    const { data } = useQuery(releaseQuery(useSystem().api, 'e1'))
    return data ? <Part release={data} isSigned={false} /> : null
  }
  const root = createRootRoute()
  const route = createRoute({ getParentRoute: () => root, path, component: Shown })
  const router = createRouter({
    routeTree: root.addChildren([route]),
    history: createMemoryHistory({ initialEntries: ['/organizations/none/projects/p1/releases/list/e1'] }),
  })
  const system = { ...makeSystem(), api }
  system.queryClient.setDefaultOptions({ queries: { retry: false, staleTime: 30_000 } })
  // It has other routes than the router of the console.
  mount(system, <RouterProvider router={router as never} />)
  return {
    /** A change of the release, as the answer to a mutation brings it. */
    change: (release: Partial<Release>) => {
      Object.assign(server, { release: { ...server.release, ...release } })
      system.queryClient.setQueryData(releaseQuery(api, 'e1').queryKey, server.release)
    },
    reread: (queryKey: string[]) => system.queryClient.invalidateQueries({ queryKey }),
  }
}
