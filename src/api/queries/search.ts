import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { searchProject } from '../../../contract/search'
import type { Api } from '../client'

/** Devices and releases of a project that hold what was typed. */
export const searchQuery = (api: Api, projectId: string, q: string) =>
  queryOptions({
    queryKey: ['search', projectId, q],
    queryFn: async ({ signal }) => (await api(searchProject, { projectId }, { query: { q }, signal })).hits,
    placeholderData: keepPreviousData,
    // Devices come and go; what was found a minute ago is not what is there.
    staleTime: 10_000,
    gcTime: 60_000,
  })
