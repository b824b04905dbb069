import { MutationObserver, type MutationObserverOptions, QueryClient, type QueryKey } from '@tanstack/react-query'
import { expect, it } from 'vitest'
import type { Api } from '../client'
import { ApiError } from '../failure'
import { deleteBundleMutation, updateBundleMutation } from './updates/bundles'
import { deleteDeviceMutation, moveDeviceMutation, updateDeviceMutation } from './fleet/devices'
import { deleteOrganizationMutation, updateOrganizationMutation } from './accounts/organizations'
import { deleteProjectMutation, transferProjectMutation, updateProjectMutation } from './accounts/projects'
import { deleteReleaseMutation } from './updates/releases'
import { updateSavedViewMutation } from './fleet/saved-views'

const apiThatRefuses = (status: number, code: string) =>
  (async () => {
    const none = { requestId: undefined, requiredPermission: undefined, requiredPlan: undefined, retryAfterS: undefined }
    throw new ApiError({ ...none, status, code, message: '', details: [], about: undefined })
  }) as unknown as Api

/** The fields that the mutations read. */
const one = { id: 'o1', public_id: 'o1', project_id: 'p1', revision: 4 }
type Run = (client: QueryClient, api: Api) => Promise<unknown>

const row = <T, V>(
  name: string,
  change: (api: Api) => MutationObserverOptions<T, Error, V>,
  queryKey: QueryKey,
  input: object,
): [string, QueryKey, Run] => [
  name,
  queryKey,
  (client, api) => new MutationObserver(client, { ...change(api), onError: () => {} }).mutate(input as V), // The fields it reads.
]
const mutations = [
  row('updateBundle', updateBundleMutation, ['bundle', 'o1'], { bundle: one }),
  row('deleteBundle', deleteBundleMutation, ['bundle', 'o1'], one),
  row('updateDevice', updateDeviceMutation, ['device', 'o1'], { device: one }),
  row('deleteDevice', deleteDeviceMutation, ['device', 'o1'], one),
  row('moveDevice', moveDeviceMutation, ['device', 'o1'], { device: one }),
  row('updateOrganization', updateOrganizationMutation, ['organization', 'o1'], { organization: one }),
  row('deleteOrganization', deleteOrganizationMutation, ['organization', 'o1'], { organization: one }),
  row('updateProject', updateProjectMutation, ['project', 'o1'], { project: one }),
  row('transferProject', transferProjectMutation, ['project', 'o1'], { project: one }),
  row('deleteProject', deleteProjectMutation, ['project', 'o1'], { project: one }),
  row('deleteRelease', deleteReleaseMutation, ['release', 'o1'], one),
  row('updateSavedView', updateSavedViewMutation, ['saved-views', 'p1'], { view: one }),
]

it.each(mutations)(
  '%s reads its object again after a stale revision, whatever its caller does with the error',
  async (...given) => {
    const [, queryKey, run] = given
    const isReadAgain = async (status: number, code: string) => {
      const client = new QueryClient()
      client.setQueryData(queryKey, one)
      await expect(run(client, apiThatRefuses(status, code))).rejects.toBeInstanceOf(ApiError)
      return client.getQueryState(queryKey)?.isInvalidated
    }
    expect(await isReadAgain(412, 'stale_revision')).toBe(true)
    expect(await isReadAgain(409, 'in_use')).toBe(false)
  },
)
