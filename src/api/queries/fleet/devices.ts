import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { deviceCommand, deviceCommands } from '../../../../contract/fleet/device-commands'
import { deviceReport } from '../../../../contract/fleet/device-reports'
import { deviceInstallations, deviceUpdateEvents, updateDecision } from '../../../../contract/updates/device-updates'
import { device, devices } from '../../../../contract/fleet/devices'
import type { QueryOf } from '../../../../contract/core/endpoint'
import type { Api } from '../../client'

export type DeviceFilters = Omit<NonNullable<QueryOf<typeof devices>>, 'cursor'>

/** Page by page; the counts by field come with the first page. */
export const devicesQuery = (api: Api, projectId: string, filters: DeviceFilters = {}) =>
  infiniteQueryOptions({
    queryKey: ['devices', projectId, filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api(devices, { projectId }, { query: { ...filters, ...(pageParam !== undefined && { cursor: pageParam }) }, signal }),
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  })

export const deviceQuery = (api: Api, deviceId: string) =>
  queryOptions({ queryKey: ['device', deviceId], queryFn: ({ signal }) => api(device, { deviceId }, { signal }) })

export const deviceReportQuery = (api: Api, deviceId: string) =>
  queryOptions({
    queryKey: ['device', deviceId, 'report'],
    queryFn: ({ signal }) => api(deviceReport, { deviceId }, { signal }),
  })

export const updateDecisionQuery = (api: Api, deviceId: string) =>
  queryOptions({
    queryKey: ['device', deviceId, 'decision'],
    queryFn: ({ signal }) => api(updateDecision, { deviceId }, { signal }),
  })

export type UpdateEventFilters = {
  types?: readonly string[]
  /** Only events that arrived in the last so many seconds. */
  periodS?: number
}

const secondsAgo = (count: number) => `${new Date(Date.now() - count * 1000).toISOString().slice(0, 19)}+00:00`

export const updateEventsQuery = (api: Api, deviceId: string, { types, periodS }: UpdateEventFilters = {}) =>
  infiniteQueryOptions({
    queryKey: ['device', deviceId, 'update-events', types, periodS],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api(
        deviceUpdateEvents,
        { deviceId },
        {
          query: {
            ...(types && { type: [...types] }),
            ...(periodS !== undefined && { from: secondsAgo(periodS) }),
            ...(pageParam !== undefined && { cursor: pageParam }),
          },
          signal,
        },
      ),
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  })

export const installationsQuery = (api: Api, deviceId: string) =>
  queryOptions({
    queryKey: ['device', deviceId, 'releases'],
    queryFn: async ({ signal }) => (await api(deviceInstallations, { deviceId }, { signal })).releases,
  })

export const commandsQuery = (api: Api, deviceId: string) =>
  infiniteQueryOptions({
    queryKey: ['device', deviceId, 'commands'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api(deviceCommands, { deviceId }, { query: pageParam === undefined ? {} : { cursor: pageParam }, signal }),
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  })

/** A command with its output, which no longer changes. */
export const commandQuery = (api: Api, deviceId: string, commandId: string) =>
  queryOptions({
    queryKey: ['device', deviceId, 'command', commandId],
    queryFn: ({ signal }) => api(deviceCommand, { deviceId, commandId }, { signal }),
    staleTime: Infinity,
  })
