import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense } from 'react'
import { css } from 'styled-system/css'
import { metricGroupings, type MetricGrouping } from '../../../contract/overview/monitor'
import { overviewQuery } from '../../api/queries/fleet/monitor'
import { projectQuery } from '../../api/queries/accounts/projects'
import { every, paces } from '../../api/refresh'
import { Expirations } from '../../system/expirations'
import { FailureBox } from '../../system/failure/failure-box'
import type { LoaderArgs } from '../../system/scope/guard'
import { lazyPart } from '../../system/page/lazy'
import { RefreshFailed } from '../../system/refresh/refresh-failed'
import { useSystem } from '../../system/system'
import { Freshness } from '../../system/refresh/freshness'
import { Columns, Page, PageHead } from '../../ui/layout/page'
import { Segment } from '../../ui/form/segment'
import { Skeleton } from '../../ui/layout/skeleton'
import { AttentionPanel } from './attention-panel'
import { FleetCounts } from './fleet-counts'
import { FlappingPanel } from './flapping-panel'
import { FleetVersions } from './fleet-versions'
import { MetricCharts } from './metric-charts'
import { useChosenMetrics } from './chosen-metrics'
import { Range, ranges, spanOf } from '../../lib/metric-ranges'
import { RunningRollouts } from './running-rollouts'
import { SetupPanel } from './setup-panel'
import { formatZoom, parseZoom, shift, type Zoom, zoomIn, zoomOut, zoomTo } from './zoom'

const ChartTools = lazyPart(() => import('./chart-tools').then((part) => part.ChartTools))

const isGrouping = (text: string | undefined): text is MetricGrouping => metricGroupings.some((one) => one === text)

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/monitor')

/** Not awaited: the boxes show at once, and the numbers later. */
export const load = ({ context: { api, queryClient }, params }: LoaderArgs<'projectId'>) =>
  void queryClient.prefetchQuery(overviewQuery(api, params.projectId))

/** Overview of the fleet: counts, versions, metrics, rollouts, problems. */
export default function MonitorPage() {
  const { api } = useSystem()
  const { projectId } = route.useParams()
  const search = route.useSearch()
  const range = Range.is(search.range) ? search.range : '24h'
  const group = isGrouping(search.group) ? search.group : 'none'
  const zoom = parseZoom(search.zoom)
  const { names, remember } = useChosenMetrics(projectId, search.metrics)
  const { data: project } = useSuspenseQuery(projectQuery(api, projectId))
  const navigate = route.useNavigate()
  const query = useQuery({ ...overviewQuery(api, projectId), refetchInterval: every(paces.fleet) })
  const { data, error, refetch } = query
  // The charts stay where they are looked at.
  const change = (to: Partial<typeof search>, replace = true) =>
    void navigate({ search: (kept) => ({ ...kept, ...to }), replace, resetScroll: false })
  const choose = (next: Range) => change({ range: next === '24h' ? undefined : next, zoom: undefined })
  const chooseMetrics = (chosen: readonly string[]) => {
    remember(chosen)
    change({ metrics: chosen.join() })
  }
  const chooseGroup = (next: MetricGrouping) => change({ group: next === 'none' ? undefined : next })
  // A new entry in the history each time: the browser's Back leads out again.
  const show = (next: Zoom | undefined) => change({ zoom: next && formatZoom(next) }, false)
  const step = (way: 'in' | 'out' | 'earlier' | 'later' | 'whole') => {
    const now = Date.now()
    const { span_ms } = spanOf(range)
    const shown = zoom ?? { from: now - span_ms, to: now }
    show(
      {
        in: () => zoomIn(shown, now),
        out: () => zoomOut(shown, span_ms, now),
        earlier: () => shift(shown, -1, now),
        later: () => shift(shown, 1, now),
        whole: () => undefined,
      }[way](),
    )
  }
  return (
    <Page>
      <PageHead
        title="Monitor"
        chips={
          // Next to the title: in the head itself its margin would center it.
          <span>
            <Freshness query={query} />
          </span>
        }
        actions={<Segment label="Time range" items={ranges} value={range} onValueChange={choose} />}
      />
      {error && !data ? (
        <FailureBox error={error} onRetry={() => void refetch()} />
      ) : (
        <div className={css({ display: 'grid', gap: '16' })}>
          <RefreshFailed query={query} />
          {data && <SetupPanel key={projectId} facts={data} />}
          <FleetCounts counts={data?.counts} />
          {data?.versions.length !== 0 && <FleetVersions versions={data?.versions} />}
          <Columns
            sideFirst
            side={
              data && data.attention.length + data.flapping.length === 0 ? undefined : (
                <>
                  {data?.attention.length !== 0 && <AttentionPanel items={data?.attention} total={data?.counts.attention} />}
                  {data && data.flapping.length > 0 && <FlappingPanel items={data.flapping} total={data.counts.flapping} />}
                </>
              )
            }
          >
            <Suspense fallback={<Skeleton height="control" />}>
              <ChartTools
                projectId={projectId}
                metrics={names}
                onMetrics={chooseMetrics}
                group={group}
                onGroup={chooseGroup}
                zoom={zoom}
                onZoom={step}
              />
            </Suspense>
            <MetricCharts
              projectId={projectId}
              range={range}
              releases={data?.releases ?? []}
              thresholds={project.settings.health_thresholds}
              metrics={names}
              group={group}
              zoom={zoom}
              onZoom={(dragged) => show(zoomTo(dragged, Date.now()))}
            />
            <RunningRollouts rollouts={data?.rollouts} />
          </Columns>
          <Expirations scope={{ project_id: projectId }} />
        </div>
      )}
    </Page>
  )
}
