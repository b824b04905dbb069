import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { BodyOf, QueryOf } from '../../../../contract/core/endpoint'
import { previewRollout, previewRolloutDevices } from '../../../../contract/updates/rollout-plans'
import {
  projectRollouts,
  releaseRollouts,
  type Rollout,
  rollout,
  rolloutDevices,
  rolloutTimeline,
} from '../../../../contract/updates/rollouts'
import type { Api } from '../../client'

export type RolloutFilters = Omit<NonNullable<QueryOf<typeof projectRollouts>>, 'cursor'>
type RolloutDeviceFilters = Omit<NonNullable<QueryOf<typeof rolloutDevices>>, 'cursor'>

export const projectRolloutsQuery = (api: Api, projectId: string, filters: RolloutFilters = {}) =>
  infiniteQueryOptions({
    queryKey: ['rollouts', projectId, filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api(
        projectRollouts,
        { projectId },
        { query: { ...filters, ...(pageParam !== undefined && { cursor: pageParam }) }, signal },
      ),
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  })

export const releaseRolloutsQuery = (api: Api, releaseId: string) =>
  queryOptions({
    queryKey: ['release', releaseId, 'rollouts'],
    queryFn: async ({ signal }) => (await api(releaseRollouts, { releaseId }, { signal })).rollouts,
  })

export const rolloutQuery = (api: Api, rolloutId: string) =>
  queryOptions({ queryKey: ['rollout', rolloutId], queryFn: ({ signal }) => api(rollout, { rolloutId }, { signal }) })

export type PreviewPlan = BodyOf<typeof previewRollout>
export type PreviewFilters = Omit<NonNullable<QueryOf<typeof previewRolloutDevices>>, 'cursor'>

/** The fleet can change at any time: a preview is requested again each time it is shown. */
export const rolloutPreviewQuery = (api: Api, releaseId: string, plan: PreviewPlan) =>
  queryOptions({
    queryKey: ['release', releaseId, 'preview', plan],
    queryFn: ({ signal }) => api(previewRollout, { releaseId }, { body: plan, signal }),
    staleTime: 0,
    placeholderData: keepPreviousData,
  })

export const previewDevicesQuery = (api: Api, releaseId: string, plan: PreviewPlan, filters: PreviewFilters = {}) =>
  infiniteQueryOptions({
    queryKey: ['release', releaseId, 'preview', plan, 'devices', filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api(
        previewRolloutDevices,
        { releaseId },
        { query: { ...filters, ...(pageParam !== undefined && { cursor: pageParam }) }, body: plan, signal },
      ),
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    staleTime: 0,
    placeholderData: keepPreviousData,
  })

/** The end of a rollout is part of the key: data read before it may lack the last reports, and nothing refreshes it later. */
export const rolloutDevicesQuery = (
  api: Api,
  { id: rolloutId, ended_at }: Pick<Rollout, 'id' | 'ended_at'>,
  filters: RolloutDeviceFilters = {},
) =>
  infiniteQueryOptions({
    queryKey: ['rollout', rolloutId, 'devices', ended_at, filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api(
        rolloutDevices,
        { rolloutId },
        { query: { ...filters, ...(pageParam !== undefined && { cursor: pageParam }) }, signal },
      ),
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  })

/** With the end in its key, as the devices. */
export const rolloutTimelineQuery = (api: Api, { id: rolloutId, ended_at }: Pick<Rollout, 'id' | 'ended_at'>) =>
  queryOptions({
    queryKey: ['rollout', rolloutId, 'timeline', ended_at],
    queryFn: async ({ signal }) => (await api(rolloutTimeline, { rolloutId }, { signal })).entries,
    placeholderData: keepPreviousData,
  })
