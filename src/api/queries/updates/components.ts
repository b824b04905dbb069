import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { componentDifferences, findComponents, releaseComponents, releaseSboms } from '../../../../contract/updates/components'
import type { QueryOf } from '../../../../contract/core/endpoint'
import type { Api } from '../../client'

export type ComponentFilters = Omit<NonNullable<QueryOf<typeof findComponents>>, 'cursor'>

export const releaseSbomsQuery = (api: Api, releaseId: string) =>
  queryOptions({
    queryKey: ['release', releaseId, 'sboms'],
    queryFn: async ({ signal }) => (await api(releaseSboms, { releaseId }, { signal })).sboms,
  })

/** `readAt`: when its files were read. A file that is read later changes the list. */
export const releaseComponentsQuery = (api: Api, releaseId: string, readAt: string, q: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['release', releaseId, 'components', readAt, q],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const query = { ...(q !== undefined && { q }), ...(pageParam !== undefined && { cursor: pageParam }) }
      return api(releaseComponents, { releaseId }, { query, signal })
    },
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  })

export const componentDifferencesQuery = (api: Api, releaseId: string, before: string) =>
  queryOptions({
    queryKey: ['release', releaseId, 'component-differences', before],
    queryFn: ({ signal }) => api(componentDifferences, { releaseId }, { query: { before }, signal }),
  })

export const findComponentsQuery = (api: Api, projectId: string, filters: ComponentFilters = {}) =>
  infiniteQueryOptions({
    queryKey: ['components', projectId, filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api(
        findComponents,
        { projectId },
        { query: { ...filters, ...(pageParam !== undefined && { cursor: pageParam }) }, signal },
      ),
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  })
