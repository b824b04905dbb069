import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense } from 'react'
import { css } from 'styled-system/css'
import { deviceQuery, installationsQuery } from '../../../api/queries/fleet/devices'
import { deviceMetricNamesQuery, deviceMetricsQuery } from '../../../api/queries/fleet/monitor'
import { projectQuery } from '../../../api/queries/accounts/projects'
import { every, paces } from '../../../api/refresh'
import { parseTime } from '../../../lib/dates'
import { Range, ranges, spanOf } from '../../../lib/metric-ranges'
import { FailureBox } from '../../../system/failure/failure-box'
import { lazyPart } from '../../../system/page/lazy'
import { useSystem } from '../../../system/system'
import { Chart } from '../../../ui/chart/chart'
import { EmptyState } from '../../../ui/layout/notice'
import { ToolRow } from '../../../ui/layout/page'
import { Segment } from '../../../ui/form/segment'
import { Skeleton } from '../../../ui/layout/skeleton'
import { RelativeTime } from '../../../ui/text/time'
import { formatMetric } from '../../../../contract/fleet/fleet-metrics'
import { formatUnit, formatValue } from '../../../lib/metric-text'

const MetricSelect = lazyPart(() => import('./metric-select').then((part) => part.MetricSelect))
const route = getRouteApi('/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/metrics')
const stack = css({ display: 'grid', gap: '16', gridTemplateColumns: 'minmax(0, 1fr)' })
const chooser = css({ w: '280', maxW: 'full' })

/** In seconds. Agents measure each minute; longer ranges read hourly values where single ones are no longer kept. */
const stepOf: Partial<Record<Range, number>> = { '1h': 60 }

type Metric = { name: string; unit: string | null; kind: string; at: string; value: number }

const MetricView = ({
  deviceId,
  projectId,
  metric,
  range,
}: {
  deviceId: string
  projectId: string
  metric: Metric
  range: Range
}) => {
  const { api } = useSystem()
  const { data: project } = useSuspenseQuery(projectQuery(api, projectId))
  const { data: installations } = useQuery(installationsQuery(api, deviceId))
  const span = { ...spanOf(range), step_s: stepOf[range] ?? spanOf(range).step_s }
  const { data, error, isPending, refetch } = useQuery({
    ...deviceMetricsQuery(api, deviceId, { names: metric.name, agg: 'avg,max', ...span }),
    refetchInterval: every(Math.max(paces.chart, (span.step_s * 1000) / 2)),
  })
  const pointsOf = (agg: string) => data?.series.find((one) => one.name === metric.name && one.agg === agg)?.points ?? []
  const valuesOf = (agg: string) => pointsOf(agg).map(([, value]) => value)
  const unit = formatUnit(metric.name, metric.unit)
  const title = formatMetric(metric.name)
  const threshold = project.settings.health_thresholds[metric.name]
  const marks = (installations ?? [])
    .map(({ installed_at: at, version, display_version }) => ({
      at: parseTime(at).getTime() / 1000,
      label: display_version ?? String(version),
    }))
    .filter(({ at }) => data !== undefined && at >= data.from / 1000 && at <= data.to / 1000)
    .toReversed()
  if (error && !data) return <FailureBox error={error} onRetry={() => void refetch()} />
  return (
    <Chart
      title={metric.kind === 'counter' ? `${title}, increase` : title}
      tall
      table
      times={pointsOf('avg').map(([at]) => at / 1000)}
      series={[{ label: 'mean', values: valuesOf('avg'), upper: valuesOf('max'), upperLabel: 'highest' }]}
      unit={unit}
      limits={threshold ? [threshold.warning, threshold.critical] : []}
      marks={marks}
      pending={isPending}
      empty="No values in this time range"
      present={
        <>
          <b>{formatValue(metric.value, unit)}</b> <RelativeTime value={metric.at} />
        </>
      }
    />
  )
}

/** The metrics that a device reports, one at a time, with its installations and the limits of the project. */
export default function MetricsPage() {
  const { api } = useSystem()
  const { deviceId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { data: device } = useSuspenseQuery(deviceQuery(api, deviceId))
  const {
    data: names,
    error,
    refetch,
  } = useQuery({
    ...deviceMetricNamesQuery(api, deviceId),
    refetchInterval: every(paces.list),
  })
  const range = Range.is(search.range) ? search.range : '24h'
  const metric = names?.find(({ name }) => name === search.metric) ?? names?.[0]
  if (error && !names) return <FailureBox error={error} onRetry={() => void refetch()} />
  if (names?.length === 0)
    return (
      <EmptyState title="Not Found">
        {device.protocol === 'ddi' ? 'A hawkBit client reports no metrics.' : 'The device has not reported any metrics.'}
      </EmptyState>
    )
  const choose = (change: { metric?: string; range?: Range | undefined }) =>
    void navigate({ search: (kept) => ({ ...kept, ...change }), replace: true, resetScroll: false })
  return (
    <>
      <ToolRow>
        <span className={chooser}>
          <Suspense fallback={<Skeleton width="full" height="bar" />}>
            <MetricSelect
              names={(names ?? []).map(({ name }) => name)}
              value={metric?.name ?? ''}
              onValueChange={(next) => choose({ metric: next })}
            />
          </Suspense>
        </span>
        <Segment
          label="Time range"
          items={ranges}
          value={range}
          onValueChange={(next) => choose({ range: next === '24h' ? undefined : next })}
        />
      </ToolRow>
      <div className={stack}>
        {metric ? (
          <MetricView key={metric.name} deviceId={deviceId} projectId={device.project_id} metric={metric} range={range} />
        ) : (
          <Chart title="Metrics" tall times={[]} series={[]} pending />
        )}
      </div>
    </>
  )
}
