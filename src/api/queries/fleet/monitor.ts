import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { QueryOf } from '../../../../contract/core/endpoint'
import {
  deviceMetricNames,
  deviceMetrics,
  overview,
  projectMetricNames,
  projectMetrics,
} from '../../../../contract/overview/monitor'
import type { Api } from '../../client'

/** `span_ms` back from now: the range moves with the clock and is not part of the key. */
export type MetricTimes = { span_ms: number } | { from: number; to: number }
type RangeOf<Q> = Omit<NonNullable<Q>, 'from' | 'to'> & MetricTimes
type MetricRange = RangeOf<QueryOf<typeof deviceMetrics>>
type FleetRange = RangeOf<QueryOf<typeof projectMetrics>>

const windowOf = (range: FleetRange) => {
  if (!('span_ms' in range)) return range
  const { span_ms, ...rest } = range
  const to = Date.now()
  return { ...rest, from: to - span_ms, to }
}

export const overviewQuery = (api: Api, projectId: string) =>
  queryOptions({ queryKey: ['overview', projectId], queryFn: ({ signal }) => api(overview, { projectId }, { signal }) })

export const metricNamesQuery = (api: Api, projectId: string) =>
  queryOptions({
    queryKey: ['metrics', projectId, 'names'],
    queryFn: async ({ signal }) => (await api(projectMetricNames, { projectId }, { signal })).metric_names,
  })

export const projectMetricsQuery = (api: Api, projectId: string, range: FleetRange) =>
  queryOptions({
    queryKey: ['metrics', projectId, range],
    queryFn: ({ signal }) => api(projectMetrics, { projectId }, { query: windowOf(range), signal }),
    placeholderData: keepPreviousData,
  })

export const deviceMetricNamesQuery = (api: Api, deviceId: string) =>
  queryOptions({
    queryKey: ['device', deviceId, 'metrics', 'names'],
    queryFn: async ({ signal }) => (await api(deviceMetricNames, { deviceId }, { signal })).metric_names,
  })

export const deviceMetricsQuery = (api: Api, deviceId: string, range: MetricRange) =>
  queryOptions({
    queryKey: ['device', deviceId, 'metrics', range],
    queryFn: ({ signal }) => api(deviceMetrics, { deviceId }, { query: windowOf(range), signal }),
    placeholderData: keepPreviousData,
  })
