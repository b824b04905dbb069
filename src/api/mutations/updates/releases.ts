import { mutationOptions, type QueryClient } from '@tanstack/react-query'
import type { BodyOf } from '../../../../contract/core/endpoint'
import { type Asset, assetLink, createAsset, deleteAsset, updateAsset } from '../../../../contract/updates/release-assets'
import { finalizeRelease, reopenRelease, signRelease } from '../../../../contract/updates/release-signing'
import {
  archiveRelease,
  createRelease,
  deleteRelease,
  type NewRelease,
  type Release,
  revokeRelease,
  updateRelease,
} from '../../../../contract/updates/releases'
import type { Api } from '../../client'
import { toSignKey } from '../../queries/updates/releases'
import { type Keyed, keyOf } from '../keyed'
import { rereadStale } from '../renewed'

const renew = (client: QueryClient, release: Release) => {
  client.setQueryData(['release', release.id], release)
  return client.invalidateQueries({ queryKey: ['releases', release.project_id] })
}
/** The end of a release is also told of its rollouts and of the devices that run it. */
const renewWithDevices = (client: QueryClient, release: Release) => {
  const { id, project_id: projectId } = release
  const told = [['release', id], ['rollouts', projectId], ['devices', projectId], ['device'], ['overview', projectId]]
  return Promise.all([renew(client, release), ...told.map((queryKey) => client.invalidateQueries({ queryKey }))])
}
const reread = (client: QueryClient, releaseId: string) => client.invalidateQueries({ queryKey: ['release', releaseId] })

export const createReleaseMutation = (api: Api, projectId: string) =>
  mutationOptions({
    mutationFn: (input: Keyed<NewRelease>) => api(createRelease, { projectId }, { body: input.body, ...keyOf(input) }),
    onSuccess: (release, _input, _kept, { client }) => renew(client, release),
  })

export const updateReleaseMutation = (api: Api) =>
  mutationOptions({
    mutationFn: ({ release, body }: { release: Release; body: BodyOf<typeof updateRelease> }) =>
      api(updateRelease, { releaseId: release.id }, { body, ifMatch: release.revision }),
    onSuccess: (release, _input, _kept, { client }) => renew(client, release),
  })

export const deleteReleaseMutation = (api: Api) =>
  mutationOptions({
    mutationFn: (release: Release) => api(deleteRelease, { releaseId: release.id }, { ifMatch: release.revision }),
    onSettled: (_done, error, release, _kept, { client }) => rereadStale(client, error, ['release', release.id]),
    onSuccess: (_done, release, _kept, { client }) => {
      client.removeQueries({ queryKey: ['release', release.id] })
      return client.invalidateQueries({ queryKey: ['releases', release.project_id] })
    },
  })

/** Creates an asset; its bytes follow as an upload with the asset as target. */
export const createAssetMutation = (api: Api) =>
  mutationOptions({
    mutationFn: ({ releaseId, body }: { releaseId: string; body: BodyOf<typeof createAsset> }) =>
      api(createAsset, { releaseId }, { body }),
    onSuccess: (_asset, { releaseId }, _kept, { client }) => reread(client, releaseId),
  })

export const updateAssetMutation = (api: Api) =>
  mutationOptions({
    mutationFn: ({ asset, body }: { asset: Asset; body: BodyOf<typeof updateAsset> }) =>
      api(updateAsset, { releaseId: asset.release_id, assetId: asset.id }, { body, ifMatch: asset.revision }),
    onSuccess: (_asset, { asset }, _kept, { client }) => reread(client, asset.release_id),
  })

export const deleteAssetMutation = (api: Api) =>
  mutationOptions({
    mutationFn: ({ releaseId, assetId }: { releaseId: string; assetId: string }) => api(deleteAsset, { releaseId, assetId }),
    onSuccess: (_done, { releaseId }, _kept, { client }) => reread(client, releaseId),
  })

export const assetLinkMutation = (api: Api) =>
  mutationOptions({
    mutationFn: ({ releaseId, assetId }: { releaseId: string; assetId: string }) => api(assetLink, { releaseId, assetId }),
  })

export const finalizeReleaseMutation = (api: Api) =>
  mutationOptions({
    mutationFn: ({ releaseId, body = {} }: { releaseId: string; body?: BodyOf<typeof finalizeRelease> }) =>
      api(finalizeRelease, { releaseId }, { body }),
    onSuccess: ({ release, to_sign }, _input, _kept, { client }) => {
      client.setQueryData(toSignKey(release), to_sign)
      return renew(client, release)
    },
  })

export const reopenReleaseMutation = (api: Api) =>
  mutationOptions({
    mutationFn: (releaseId: string) => api(reopenRelease, { releaseId }),
    onSuccess: (release, _input, _kept, { client }) => {
      client.removeQueries({ queryKey: ['release', release.id, 'to-sign'] })
      return renew(client, release)
    },
  })

export const signReleaseMutation = (api: Api) =>
  mutationOptions({
    mutationFn: ({ releaseId, body }: { releaseId: string; body: BodyOf<typeof signRelease> }) =>
      api(signRelease, { releaseId }, { body }),
    onSuccess: (release, _input, _kept, { client }) => renew(client, release),
  })

export const revokeReleaseMutation = (api: Api) =>
  mutationOptions({
    mutationFn: ({ releaseId, reason }: { releaseId: string; reason: string }) =>
      api(revokeRelease, { releaseId }, { body: { reason } }),
    onSuccess: (release, _input, _kept, { client }) => renewWithDevices(client, release),
  })

export const archiveReleaseMutation = (api: Api) =>
  mutationOptions({
    mutationFn: (releaseId: string) => api(archiveRelease, { releaseId }),
    onSuccess: (release, _input, _kept, { client }) => renewWithDevices(client, release),
  })
