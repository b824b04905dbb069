import { useQuery } from '@tanstack/react-query'
import { css } from 'styled-system/css'
import type { Overview, Series } from '../../../contract/monitor'
import type { Thresholds } from '../../../contract/projects'
import { projectMetricsQuery } from '../../api/queries/monitor'
import { fleetMetrics } from '../../lib/fleet-metrics'
import { FailureBox } from '../../system/failure-box'
import { useSystem } from '../../system/system'
import { Chart, type ChartData } from '../../ui/chart'
import { type Range, spanOf } from './ranges'

const names = fleetMetrics.map((metric) => metric.name).join(',')
const grid = css({ display: 'grid', gap: '16', gridTemplateColumns: { base: '1fr', lg: 'repeat(2, minmax(0, 1fr))' } })
const whole = css({ gridColumn: '1 / -1' })

const valuesOf = (series: Series | undefined, name: string, agg: string) =>
  series?.series.find((one) => one.name === name && one.agg === agg)?.points ?? []

const dataOf = (series: Series | undefined, name: string, title: string): Pick<ChartData, 'times' | 'series'> => {
  const middle = valuesOf(series, name, 'p50')
  return {
    times: middle.map(([ts]) => ts / 1000),
    series: [
      {
        label: `${title} p50`,
        values: middle.map(([, value]) => value),
        upper: valuesOf(series, name, 'p95').map(([, value]) => value),
      },
    ],
  }
}

/** A new fleet without measurements. */
const isEmpty = (series: Series | undefined) => !series?.series.some(({ points }) => points.some(([, value]) => value !== null))

const presentOf = (values: readonly (number | null)[]) => values.findLast((value) => value !== null)

/** The median of the fleet and the band up to its 95th percentile, with markers for releases. */
export const MetricCharts = ({
  projectId,
  range,
  releases,
  thresholds,
}: {
  projectId: string
  range: Range
  releases: Overview['releases']
  /** The level of a warning. */
  thresholds: Thresholds
}) => {
  const { api } = useSystem()
  const { data, error, isPending, refetch } = useQuery({
    ...projectMetricsQuery(api, projectId, { names, agg: 'p50,p95', ...spanOf(range) }),
    refetchInterval: ({ state }) => (isEmpty(state.data) ? 10_000 : Math.max(30_000, (spanOf(range).step_s * 1000) / 2)),
  })
  const failed = error !== null && !data
  const marks = releases
    .filter(({ ts_ms }) => data && ts_ms >= data.from)
    .map(({ ts_ms, name }) => ({ at: ts_ms / 1000, label: name }))
  return (
    <div className={grid}>
      {failed && (
        <div className={whole}>
          <FailureBox error={error} onRetry={() => void refetch()} />
        </div>
      )}
      {fleetMetrics.map(({ name, title, unit }) => {
        const threshold = thresholds[name]
        const drawn = dataOf(data, name, title)
        const present = presentOf(drawn.series[0]?.values ?? [])
        return (
          <Chart
            key={name}
            title={title}
            {...drawn}
            pending={isPending}
            failed={failed}
            unit={unit}
            limits={threshold ? [threshold.warning] : []}
            marks={marks}
            present={
              present !== undefined && (
                <>
                  <b>{Math.round(present ?? 0)}</b> {unit} p50
                </>
              )
            }
          />
        )
      })}
    </div>
  )
}
