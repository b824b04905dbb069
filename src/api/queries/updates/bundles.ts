import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { QueryOf } from '../../../../contract/core/endpoint'
import { bundle, bundles } from '../../../../contract/updates/secure-boot/bundles'
import type { Api } from '../../client'

type BundleFilters = Omit<NonNullable<QueryOf<typeof bundles>>, 'cursor'>

export const bundlesQuery = (api: Api, projectId: string, filters: BundleFilters = {}) =>
  infiniteQueryOptions({
    queryKey: ['bundles', projectId, filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api(bundles, { projectId }, { query: { ...filters, ...(pageParam !== undefined && { cursor: pageParam }) }, signal }),
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  })

export const bundleQuery = (api: Api, bundleId: string) =>
  queryOptions({ queryKey: ['bundle', bundleId], queryFn: ({ signal }) => api(bundle, { bundleId }, { signal }) })

/** A proposal, so it is requested again each time the form opens: the list begins with the newest version. */
export const nextBundleVersionQuery = (api: Api, projectId: string) =>
  queryOptions({
    queryKey: ['bundles', projectId, 'next-version'],
    queryFn: async ({ signal }) => {
      const { artifact_bundles: newest } = await api(bundles, { projectId }, { query: { limit: 1 }, signal })
      return (newest[0]?.version ?? 0) + 1
    },
    staleTime: 0,
  })
