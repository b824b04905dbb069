import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { searchEverywhere, searchProject } from '../../../../contract/overview/search'
import type { Api } from '../../client'

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

/** Projects, devices and releases that match the text, in every project but the given one. */
export const searchEverywhereQuery = (api: Api, exceptProjectId: string | undefined, q: string) =>
  queryOptions({
    queryKey: ['search', 'everywhere', exceptProjectId ?? null, q],
    queryFn: async ({ signal }) => {
      const query = { q, ...(exceptProjectId !== undefined && { except_project_id: exceptProjectId }) }
      return (await api(searchEverywhere, {}, { query, signal })).hits
    },
    placeholderData: keepPreviousData,
    staleTime: 10_000,
    gcTime: 60_000,
  })
