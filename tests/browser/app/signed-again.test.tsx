import { useQuery } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { utf8 } from '../../../contract/device/bytes'
import type { Envelope } from '../../../contract/device/dsse'
import { pemOf } from '../../../contract/device/public-key'
import { ecdsa, good, second } from '../../../contract/device/verify.fixture'
import type { Endpoint } from '../../../contract/core/endpoint'
import { signingKeys } from '../../../contract/fleet/keys'
import { personalProjectPermissions } from '../../../contract/accounts/projects'
import { releaseManifest, releaseToSign } from '../../../contract/updates/release-signing'
import { release as readRelease, type Release } from '../../../contract/updates/releases'
import { self } from '../../../contract/accounts/users'
import type { Api } from '../../../src/api/client'
import { releaseQuery } from '../../../src/api/queries/updates/releases'
import { SignStep } from '../../../src/features/releases/sign-step'
import { SignedBy } from '../../../src/features/releases/signed-by'
import { useSystem } from '../../../src/system/system'
import { makeSystem, mount } from './system'

const path = '/organizations/$organizationId/projects/$projectId/releases/list/$releaseId'
const signatureBy = (name: string) => ({ key_id: name, key_name: name, fingerprint: name }) as Release['signatures'][number]
const first: Release = { id: 'e1', name: 'Gateway', revision: 1, signatures: [signatureBy('old')] } as unknown as Release
const keys = (isOldRevoked: boolean) => [
  {
    id: 'old',
    name: 'old',
    algorithm: 'ed25519',
    fingerprint: 'old',
    state: isOldRevoked ? 'revoked' : 'active',
    public_key_pem: pemOf(second.publicKey),
  },
  {
    id: 'new',
    name: 'new',
    algorithm: 'ecdsa-p256',
    fingerprint: 'new',
    state: 'active',
    public_key_pem: pemOf(ecdsa.publicKey),
  },
]
const bytesOf = (envelope: Envelope) => utf8(JSON.stringify(envelope)).buffer

const toSign = { payload_type: 't', payload_base64: '', to_sign_base64: '', pae_sha256: '0'.repeat(64), command: 'sign' }

/** What the server answers; the test changes it. */
type Server = { release: Release; keys: ReturnType<typeof keys>; envelope: ArrayBuffer; sha256: string }

/** A part of the page of a release. */
const show = (server: Server, Part: (props: { release: Release; isSigned: boolean }) => React.ReactNode) => {
  const answers = new Map<Endpoint, () => unknown>([
    [readRelease, () => server.release],
    [signingKeys, () => ({ signing_keys: server.keys })],
    [releaseManifest, () => server.envelope],
    [releaseToSign, () => ({ ...toSign, manifest_sha256: server.sha256 })],
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

it('a release that is signed again with another key is verified with its new envelope', async () => {
  const server = { release: first, keys: keys(false), envelope: bytesOf(await good({}, [second])), sha256: 'a' }
  const { change, reread } = show(server, SignedBy)
  await expect.element(page.getByText('verified in this browser')).toBeVisible()
  Object.assign(server, { keys: keys(true) })
  await reread(['signing-keys', 'p1'])
  await expect.element(page.getByText('revoked key')).toBeVisible()
  Object.assign(server, { envelope: bytesOf(await good({}, [ecdsa])) })
  change({ revision: 2, signatures: [signatureBy('old'), signatureBy('new')] })
  await expect.element(page.getByText('Signed by new', { exact: false })).toBeVisible()
  await expect.element(page.getByText('verified in this browser')).toBeVisible()
})

it('the sign step never offers the manifest of an earlier revision', async () => {
  const server = { release: first, keys: keys(false), envelope: new ArrayBuffer(0), sha256: 'a'.repeat(64) }
  const { change } = show(server, SignStep)
  await expect.element(page.getByText('SHA-256 aaaa', { exact: false })).toBeVisible()
  server.sha256 = 'b'.repeat(64)
  change({ revision: 2 })
  await expect.element(page.getByText('SHA-256 bbbb', { exact: false })).toBeVisible()
})
