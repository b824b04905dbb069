import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { QueryOf } from '../../../contract/endpoint'
import { bundle, bundles, type SecureBootBundle } from '../../../contract/secure-boot/bundles'
import { fusePlan } from '../../../contract/secure-boot/fuse-plan'
import type { Api } from '../client'

type BundleFilters = Omit<NonNullable<QueryOf<typeof bundles>>, 'cursor'>
export type PlanQuestion = NonNullable<QueryOf<typeof fusePlan>>

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

/** A plan of exactly this revision and state of the bundle. */
export const fusePlanQuery = (api: Api, { id, revision, state }: SecureBootBundle, question: PlanQuestion) =>
  queryOptions({
    queryKey: ['bundle', id, 'fuse-plan', { revision, state, ...question }],
    queryFn: ({ signal }) => api(fusePlan, { bundleId: id }, { query: question, signal }),
  })

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
