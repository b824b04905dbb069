import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { QueryOf } from '../../../../contract/core/endpoint'
import { assetLink } from '../../../../contract/updates/release-assets'
import { releaseManifest, releaseToSign } from '../../../../contract/updates/release-signing'
import { nextVersion, type Release, release, releases, returnVersions } from '../../../../contract/updates/releases'
import type { Api } from '../../client'

export type ReleaseFilters = Omit<NonNullable<QueryOf<typeof releases>>, 'cursor'>

export const releasesQuery = (api: Api, projectId: string, filters: ReleaseFilters = {}) =>
  infiniteQueryOptions({
    queryKey: ['releases', projectId, filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api(releases, { projectId }, { query: { ...filters, ...(pageParam !== undefined && { cursor: pageParam }) }, signal }),
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  })

export const releaseQuery = (api: Api, releaseId: string) =>
  queryOptions({ queryKey: ['release', releaseId], queryFn: ({ signal }) => api(release, { releaseId }, { signal }) })

/** A proposal, so it is requested again each time the form opens. */
export const nextVersionQuery = (api: Api, projectId: string) =>
  queryOptions({
    queryKey: ['releases', projectId, 'next-version'],
    queryFn: async ({ signal }) => (await api(nextVersion, { projectId }, { signal })).version,
    staleTime: 0,
  })

export const returnVersionsQuery = (api: Api, projectId: string, asked: QueryOf<typeof returnVersions> & {}) =>
  queryOptions({
    queryKey: ['releases', projectId, 'return-versions', asked],
    queryFn: ({ signal }) => api(returnVersions, { projectId }, { query: asked, signal }),
    staleTime: 0,
  })

type Revision = Pick<Release, 'id' | 'revision'>
/** With the revision: a release that was reopened and finalized again has another manifest. */
export const toSignKey = ({ id, revision }: Revision) => ['release', id, 'to-sign', revision] as const

export const toSignQuery = (api: Api, release: Revision) =>
  queryOptions({
    queryKey: toSignKey(release),
    queryFn: ({ signal }) => api(releaseToSign, { releaseId: release.id }, { signal }),
  })

/** The exact bytes of the envelope, as devices get it: an ArrayBuffer. Each signature changes the envelope and the revision. */
export const manifestQuery = (api: Api, { id: releaseId, revision }: Revision) =>
  queryOptions({
    queryKey: ['release', releaseId, 'manifest', revision],
    queryFn: async ({ signal }) => (await api(releaseManifest, { releaseId }, { signal })) as ArrayBuffer, // answer: 'bytes'
  })

/** A link to the bytes of a file, for a reader without the session header. */
export const readAssetLink = (api: Api, params: { releaseId: string; assetId: string }, signal: AbortSignal) =>
  api(assetLink, params, { signal })
