import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { QueryOf } from '../../../../contract/core/endpoint'
import { tag, tags } from '../../../../contract/fleet/tags'
import type { Api } from '../../client'
import { readPages } from '../../read-pages'
import { every, paces } from '../../refresh'

export type TagFilters = Omit<NonNullable<QueryOf<typeof tags>>, 'cursor'>

/** All tags of a project, for selection lists: a form that is open learns of a tag that somebody else adds. */
export const tagsQuery = (api: Api, projectId: string) =>
  queryOptions({
    queryKey: ['tags', projectId],
    queryFn: ({ signal }) =>
      readPages(
        (query) => api(tags, { projectId }, { query, signal }),
        (page) => page.tags,
      ),
    refetchInterval: every(paces.list),
  })

/** The tags as a list, page by page. */
export const tagListQuery = (api: Api, projectId: string, filters: TagFilters = {}) =>
  infiniteQueryOptions({
    queryKey: ['tags', projectId, 'list', filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api(tags, { projectId }, { query: { ...filters, ...(pageParam !== undefined && { cursor: pageParam }) }, signal }),
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  })

export const tagQuery = (api: Api, tagId: string) =>
  queryOptions({ queryKey: ['tag', tagId], queryFn: ({ signal }) => api(tag, { tagId }, { signal }) })
