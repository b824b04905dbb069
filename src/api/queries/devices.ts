import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { deviceSystemLogs } from '../../../contract/device-logs'
import { deviceReport } from '../../../contract/device-reports'
import { deviceInstallations, deviceUpdateEvents, updateDecision } from '../../../contract/device-updates'
import { device, devices } from '../../../contract/devices'
import type { QueryOf } from '../../../contract/endpoint'
import type { Api } from '../client'

export type DeviceFilters = Omit<NonNullable<QueryOf<typeof devices>>, 'cursor'>
export type LogFilters = Omit<NonNullable<QueryOf<typeof deviceSystemLogs>>, 'after_sequence' | 'before_sequence'>

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

export const updateEventsQuery = (api: Api, deviceId: string) =>
  infiniteQueryOptions({
    queryKey: ['device', deviceId, 'update-events'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api(deviceUpdateEvents, { deviceId }, { query: pageParam === undefined ? {} : { cursor: pageParam }, signal }),
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  })

/** Newest lines first; older pages by the lowest sequence seen. */
export const systemLogsQuery = (api: Api, deviceId: string, filters: LogFilters = {}) =>
  infiniteQueryOptions({
    queryKey: ['device', deviceId, 'system-logs', filters],
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam, signal }) =>
      api(
        deviceSystemLogs,
        { deviceId },
        { query: { ...filters, ...(pageParam !== undefined && { before_sequence: pageParam }) }, signal },
      ),
    getNextPageParam: (last) =>
      last.next_cursor === null || last.lines.length === 0 ? undefined : Math.min(...last.lines.map((line) => line.sequence)),
  })

/** One poll of the live log: the lines after a sequence. */
export const logTail = (api: Api, deviceId: string, filters: LogFilters, after: number, signal?: AbortSignal) =>
  api(deviceSystemLogs, { deviceId }, { query: { ...filters, after_sequence: after }, signal })

export const installationsQuery = (api: Api, deviceId: string) =>
  queryOptions({
    queryKey: ['device', deviceId, 'releases'],
    queryFn: async ({ signal }) => (await api(deviceInstallations, { deviceId }, { signal })).releases,
  })
