import { mutationOptions, type QueryClient } from '@tanstack/react-query'
import type { BodyOf } from '../../../../contract/core/endpoint'
import { createArtifact, deleteArtifact } from '../../../../contract/updates/secure-boot/artifacts'
import {
  archiveBundle,
  type BundleChange,
  checkBundle,
  createBundle,
  deleteBundle,
  type NewBundle,
  restoreBundle,
  revokeBundle,
  type SecureBootBundle,
  updateBundle,
} from '../../../../contract/updates/secure-boot/bundles'
import { bundleLink, fusePlanScript } from '../../../../contract/updates/secure-boot/fuse-plan'
import type { PlanQuestion } from '../../queries/updates/fuse-plan'
import type { Api } from '../../client'
import { type Keyed, keyOf } from '../keyed'
import { rereadStale } from '../renewed'

const renew = (client: QueryClient, bundle: SecureBootBundle) => {
  client.setQueryData(['bundle', bundle.id], bundle)
  return client.invalidateQueries({ queryKey: ['bundles', bundle.project_id] })
}
const reread = (client: QueryClient, bundleId: string) =>
  Promise.all([client.invalidateQueries({ queryKey: ['bundle', bundleId] }), client.invalidateQueries({ queryKey: ['bundles'] })])

export const createBundleMutation = (api: Api, projectId: string) =>
  mutationOptions({
    mutationFn: (input: Keyed<NewBundle>) => api(createBundle, { projectId }, { body: input.body, ...keyOf(input) }),
    onSuccess: (bundle, _input, _kept, { client }) => renew(client, bundle),
  })

export const updateBundleMutation = (api: Api) =>
  mutationOptions({
    mutationFn: ({ bundle, body }: { bundle: SecureBootBundle; body: BundleChange }) =>
      api(updateBundle, { bundleId: bundle.id }, { body, ifMatch: bundle.revision }),
    onSettled: (_done, error, { bundle }, _kept, { client }) => rereadStale(client, error, ['bundle', bundle.id]),
    onSuccess: (bundle, _input, _kept, { client }) => renew(client, bundle),
  })

export const deleteBundleMutation = (api: Api) =>
  mutationOptions({
    mutationFn: (bundle: SecureBootBundle) => api(deleteBundle, { bundleId: bundle.id }, { ifMatch: bundle.revision }),
    onSettled: (_done, error, bundle, _kept, { client }) => rereadStale(client, error, ['bundle', bundle.id]),
    onSuccess: (_done, bundle, _kept, { client }) => {
      client.removeQueries({ queryKey: ['bundle', bundle.id] })
      return client.invalidateQueries({ queryKey: ['bundles', bundle.project_id] })
    },
  })

/** Creates the part; its bytes follow as an upload with the part as target. */
export const createArtifactMutation = (api: Api) =>
  mutationOptions({
    mutationFn: ({ bundleId, body }: { bundleId: string; body: BodyOf<typeof createArtifact> }) =>
      api(createArtifact, { bundleId }, { body }),
    onSuccess: (_artifact, { bundleId }, _kept, { client }) => reread(client, bundleId),
  })

export const deleteArtifactMutation = (api: Api) =>
  mutationOptions({
    mutationFn: (params: { bundleId: string; artifactId: string }) => api(deleteArtifact, params),
    onSuccess: (_done, { bundleId }, _kept, { client }) => reread(client, bundleId),
  })

export const checkBundleMutation = (api: Api) =>
  mutationOptions({
    mutationFn: (bundleId: string) => api(checkBundle, { bundleId }),
    onSuccess: (bundle, _input, _kept, { client }) => renew(client, bundle),
  })

export const revokeBundleMutation = (api: Api) =>
  mutationOptions({
    mutationFn: ({ bundleId, reason }: { bundleId: string; reason: string }) =>
      api(revokeBundle, { bundleId }, { body: { reason } }),
    onSuccess: (bundle, _input, _kept, { client }) => renew(client, bundle),
  })

export const archiveBundleMutation = (api: Api) =>
  mutationOptions({
    mutationFn: (bundleId: string) => api(archiveBundle, { bundleId }),
    onSuccess: (bundle, _input, _kept, { client }) => renew(client, bundle),
  })

export const restoreBundleMutation = (api: Api) =>
  mutationOptions({
    mutationFn: (bundleId: string) => api(restoreBundle, { bundleId }),
    onSuccess: (bundle, _input, _kept, { client }) => renew(client, bundle),
  })

export const bundleLinkMutation = (api: Api) =>
  mutationOptions({ mutationFn: (bundleId: string) => api(bundleLink, { bundleId }) })

/** The name of the bundle confirms it; the server compares. */
export const planScriptMutation = (api: Api) =>
  mutationOptions({
    mutationFn: ({ bundleId, ...query }: { bundleId: string; confirm: string } & PlanQuestion) =>
      api(fusePlanScript, { bundleId }, { query }),
  })
