import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { searchProject } from '../../../contract/search'
import type { Api } from '../client'

/** Devices and releases of a project that match the text. */
export const searchQuery = (api: Api, projectId: string, q: string) =>
  queryOptions({
    queryKey: ['search', projectId, q],
    queryFn: async ({ signal }) => (await api(searchProject, { projectId }, { query: { q }, signal })).hits,
    placeholderData: keepPreviousData,
    // Devices change often: results of a minute ago are outdated.
    staleTime: 10_000,
    gcTime: 60_000,
  })
