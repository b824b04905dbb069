import { useQueries, useQuery, type UseQueryResult } from '@tanstack/react-query'
import { css } from 'styled-system/css'
import type { MetricGrouping, Overview, Series } from '../../../contract/overview/monitor'
import type { Thresholds } from '../../../contract/fleet/thresholds'
import { dueIn, paces } from '../../api/refresh'
import { type MetricTimes, metricNamesQuery, projectMetricsQuery } from '../../api/queries/fleet/monitor'
import { formatMetric } from '../../../contract/fleet/fleet-metrics'
import { formatUnit } from '../../lib/metric-text'
import { FailureBox } from '../../system/failure/failure-box'
import { useSystem } from '../../system/system'
import { Chart, type ChartData } from '../../ui/chart/chart'
import { type Range, spanOf } from '../../lib/metric-ranges'
import { RelativeTime } from '../../ui/text/time'
import type { Zoom } from './zoom'

const grid = css({ display: 'grid', gap: '16', gridTemplateColumns: { base: '1fr', lg: 'repeat(2, minmax(0, 1fr))' } })
const whole = css({ gridColumn: '1 / -1' })
const note = css({ gridColumn: '1 / -1', textStyle: 'small', color: 'muted' })

/** With the others as one, the colors of a chart. */
const mostGroups = 7

const valuesOf = (series: Series | undefined, name: string, agg: string) =>
  series?.series.find((one) => one.name === name && one.agg === agg)?.points ?? []

const timesOf = (points: Series['series'][number]['points']) => points.map(([ts]) => ts / 1000)

const fleetData = (series: Series | undefined, name: string, title: string): Pick<ChartData, 'times' | 'series'> => {
  const middle = valuesOf(series, name, 'p50')
  const line = {
    label: `${title} p50`,
    values: middle.map(([, value]) => value),
    upper: valuesOf(series, name, 'p95').map(([, value]) => value),
    upperLabel: `${title} p95`,
  }
  return { times: timesOf(middle), series: [line] }
}

const nobody = { tag: 'No tag', model: 'No model', release: 'No version' }

const labelOf = ({ labels }: Series['series'][number], group: Exclude<MetricGrouping, 'none'>) =>
  labels.other === true ? 'Others' : labels[group] || nobody[group]

const groupData = (
  series: Series | undefined,
  name: string,
  group: Exclude<MetricGrouping, 'none'>,
): Pick<ChartData, 'times' | 'series'> => {
  const lines = series?.series.filter((one) => one.name === name) ?? []
  return {
    times: timesOf(lines[0]?.points ?? []),
    series: lines.map((one) => ({ label: labelOf(one, group), values: one.points.map(([, value]) => value) })),
  }
}

/** A new fleet without measurements. */
const isEmpty = (series: Series | undefined) => !series?.series.some(({ points }) => points.some(([, value]) => value !== null))

/** The newest value, with its time where it is not that of now: the last step may not be over, and the roll-up is a minute behind. */
const findPresent = ({ times, series }: Pick<ChartData, 'times' | 'series'>, zoom: Zoom | undefined) => {
  const values = series[0]?.values ?? []
  const n = values.findLastIndex((value) => value !== null)
  const [value, at] = [values[n], times[n]]
  if (value === undefined || value === null || at === undefined) return undefined
  return { value, at: zoom === undefined && n >= values.length - 2 ? undefined : new Date(at * 1000) }
}

const notes: Partial<Record<MetricGrouping, string>> = {
  tag: `Medians of the ${mostGroups} tags with the most measurements. A device counts in each of its tags.`,
  model: `Medians of the ${mostGroups} models with the most measurements, and of the others together.`,
  release: `Medians of the ${mostGroups} versions with the most measurements, and of the others together.`,
}

type Props = {
  projectId: string
  range: Range
  releases: Overview['releases']
  /** The level of a warning. */
  thresholds: Thresholds
  metrics: readonly string[]
  group: MetricGrouping
  zoom: Zoom | undefined
  onZoom: (zoom: Zoom) => void
}

/** For the whole fleet one request has all metrics; the groups of each metric are a request of their own. */
const useSeries = (projectId: string, metrics: readonly string[], group: MetricGrouping, times: MetricTimes) => {
  const { api } = useSystem()
  // What is over does not change any more.
  const pace = 'span_ms' in times ? Math.max(paces.chart, times.span_ms / 200) : 60_000
  const requests: { names: string; agg: string; group_by?: MetricGrouping; top?: number }[] =
    group === 'none'
      ? [{ names: metrics.join(), agg: 'p50,p95' }]
      : metrics.map((names) => ({ names, agg: 'p50', group_by: group, top: mostGroups }))
  const found: UseQueryResult<Series>[] = useQueries({
    queries: requests.map((request) => ({
      ...projectMetricsQuery(api, projectId, { ...request, ...times }),
      refetchInterval: ({ state }: { state: { data: Series | undefined } & Parameters<typeof dueIn>[0] }) =>
        dueIn(state, isEmpty(state.data) ? paces.fleet : pace),
    })),
  })
  return (index: number) => found[group === 'none' ? 0 : index]
}

/**
 * The median of the fleet and the band up to its 95th percentile, or the medians of its groups, with markers for releases. A range
 * that is dragged over becomes the range of all charts.
 */
export const MetricCharts = ({ projectId, range, releases, thresholds, metrics, group, zoom, onZoom }: Props) => {
  const { api } = useSystem()
  const { data: names } = useQuery({ ...metricNamesQuery(api, projectId), retry: false })
  const known = new Map((names ?? []).map((metric) => [metric.name, metric]))
  const of = useSeries(projectId, metrics, group, zoom ?? spanOf(range))
  const failed = metrics.map((_, index) => of(index)).find((query) => query && query.error !== null && !query.data)
  return (
    <div className={grid}>
      {failed && (
        <div className={whole}>
          <FailureBox error={failed.error} onRetry={() => metrics.forEach((_, index) => void of(index)?.refetch())} />
        </div>
      )}
      {notes[group] !== undefined && <p className={note}>{notes[group]}</p>}
      {metrics.map((name, index) => {
        const { data, error, isPending } = of(index) ?? { isPending: true }
        const metric = known.get(name)
        const unit = formatUnit(name, metric?.unit ?? null)
        const title = metric?.kind === 'counter' ? `${formatMetric(name)}, increase` : formatMetric(name)
        const threshold = thresholds[name]
        const drawn = group === 'none' ? fleetData(data, name, title) : groupData(data, name, group)
        const present = group === 'none' ? findPresent(drawn, zoom) : undefined
        const marks = releases
          .filter(({ ts_ms }) => data && ts_ms >= data.from && ts_ms <= data.to)
          .map(({ ts_ms, name: label }) => ({ at: ts_ms / 1000, label }))
        return (
          <Chart
            key={name}
            table
            title={title}
            {...drawn}
            pending={isPending}
            failed={Boolean(error) && !data}
            unit={unit}
            limits={threshold ? [threshold.warning] : []}
            marks={marks}
            onZoom={(from, to) => onZoom({ from: from * 1000, to: to * 1000 })}
            present={
              present !== undefined && (
                <>
                  <b>{Number(present.value.toFixed(Math.abs(present.value) < 10 ? 1 : 0))}</b> {unit} p50{' '}
                  {present.at && <RelativeTime value={present.at} />}
                </>
              )
            }
          />
        )
      })}
    </div>
  )
}
