import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { QueryOf } from '../../../contract/endpoint'
import { deviceMetrics, overview, projectMetricNames, projectMetrics } from '../../../contract/monitor'
import type { Api } from '../client'

/** `span_ms` back from now: the range moves with the clock and is not part of the key. */
export type MetricRange = Omit<NonNullable<QueryOf<typeof projectMetrics>>, 'from' | 'to'> & { span_ms: number }

const windowOf = ({ span_ms, ...rest }: MetricRange) => {
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

export const projectMetricsQuery = (api: Api, projectId: string, range: MetricRange) =>
  queryOptions({
    queryKey: ['metrics', projectId, range],
    queryFn: ({ signal }) => api(projectMetrics, { projectId }, { query: windowOf(range), signal }),
    placeholderData: keepPreviousData,
  })

export const deviceMetricsQuery = (api: Api, deviceId: string, range: MetricRange) =>
  queryOptions({
    queryKey: ['device', deviceId, 'metrics', range],
    queryFn: ({ signal }) => api(deviceMetrics, { deviceId }, { query: windowOf(range), signal }),
    placeholderData: keepPreviousData,
  })
