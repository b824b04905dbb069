import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { QueryOf } from '../../../contract/endpoint'
import { projectRollouts, releaseRollouts, rollout, rolloutDevices, rolloutTimeline } from '../../../contract/rollouts'
import type { Api } from '../client'

export type RolloutFilters = Omit<NonNullable<QueryOf<typeof projectRollouts>>, 'cursor'>
export type RolloutDeviceFilters = Omit<NonNullable<QueryOf<typeof rolloutDevices>>, 'cursor'>

export const projectRolloutsQuery = (api: Api, projectId: string, filters: RolloutFilters = {}) =>
  queryOptions({
    queryKey: ['rollouts', projectId, filters],
    queryFn: async ({ signal }) => (await api(projectRollouts, { projectId }, { query: filters, signal })).rollouts,
  })

export const releaseRolloutsQuery = (api: Api, releaseId: string) =>
  queryOptions({
    queryKey: ['release', releaseId, 'rollouts'],
    queryFn: async ({ signal }) => (await api(releaseRollouts, { releaseId }, { signal })).rollouts,
  })

export const rolloutQuery = (api: Api, rolloutId: string) =>
  queryOptions({ queryKey: ['rollout', rolloutId], queryFn: ({ signal }) => api(rollout, { rolloutId }, { signal }) })

export const rolloutDevicesQuery = (api: Api, rolloutId: string, filters: RolloutDeviceFilters = {}) =>
  infiniteQueryOptions({
    queryKey: ['rollout', rolloutId, 'devices', filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api(
        rolloutDevices,
        { rolloutId },
        { query: { ...filters, ...(pageParam !== undefined && { cursor: pageParam }) }, signal },
      ),
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  })

export const rolloutTimelineQuery = (api: Api, rolloutId: string) =>
  queryOptions({
    queryKey: ['rollout', rolloutId, 'timeline'],
    queryFn: async ({ signal }) => (await api(rolloutTimeline, { rolloutId }, { signal })).entries,
  })
