import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense } from 'react'
import { css } from 'styled-system/css'
import { overviewQuery } from '../../api/queries/monitor'
import { projectQuery } from '../../api/queries/projects'
import { every, paces } from '../../api/refresh'
import { FailureBox } from '../../system/failure-box'
import type { LoaderArgs } from '../../system/guard'
import { lazyPart } from '../../system/lazy'
import { useSystem } from '../../system/system'
import { Freshness } from '../../ui/freshness'
import { Banner } from '../../ui/notice'
import { Columns, Page, PageHead } from '../../ui/page'
import { Segment } from '../../ui/segment'
import { AttentionPanel } from './attention-panel'
import { FleetCounts } from './fleet-counts'
import { FleetVersions } from './fleet-versions'
import { MetricCharts } from './metric-charts'
import { Range, ranges } from './ranges'
import { RunningRollouts } from './running-rollouts'

const Expirations = lazyPart(() => import('../../system/expirations-panel').then((part) => part.ExpirationsPanel))
const SetupPanel = lazyPart(() => import('./setup-panel').then((part) => part.SetupPanel))

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/monitor')

/** Not awaited: the boxes show at once, and the numbers later. */
export const load = ({ context: { api, queryClient }, params }: LoaderArgs<'projectId'>) =>
  void queryClient.prefetchQuery(overviewQuery(api, params.projectId))

/** Overview of the fleet: counts, versions, metrics, rollouts, problems. */
export default function MonitorPage() {
  const { api } = useSystem()
  const { projectId } = route.useParams()
  const { range: asked } = route.useSearch()
  const range = Range.is(asked) ? asked : '24h'
  const { data: project } = useSuspenseQuery(projectQuery(api, projectId))
  const navigate = route.useNavigate()
  const query = useQuery({ ...overviewQuery(api, projectId), refetchInterval: every(paces.fleet) })
  const { data, error, refetch } = query
  const choose = (next: Range) =>
    void navigate({ search: (kept) => ({ ...kept, range: next === '24h' ? undefined : next }), replace: true })
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
          {error && (
            <Banner kind="error" action={{ label: 'Try again', onClick: () => void refetch() }}>
              The last refresh failed.
            </Banner>
          )}
          {data && (
            <Suspense>
              <SetupPanel key={projectId} counts={data.counts} />
            </Suspense>
          )}
          <FleetCounts counts={data?.counts} />
          {data?.versions.length !== 0 && <FleetVersions versions={data?.versions} />}
          <Columns sideFirst side={data?.attention.length === 0 ? undefined : <AttentionPanel items={data?.attention} />}>
            <MetricCharts
              projectId={projectId}
              range={range}
              releases={data?.releases ?? []}
              thresholds={project.settings.health_thresholds}
            />
            <RunningRollouts rollouts={data?.rollouts} />
          </Columns>
          <Suspense>
            <Expirations scope={{ project_id: projectId }} />
          </Suspense>
        </div>
      )}
    </Page>
  )
}
