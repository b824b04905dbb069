import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import type { AnswerOf } from '../../../../contract/core/endpoint'
import type { Rollout, rollout as read } from '../../../../contract/updates/rollouts'
import { failureOf } from '../../../api/failure'
import { releaseQuery } from '../../../api/queries/updates/releases'
import { rolloutQuery, rolloutTimelineQuery } from '../../../api/queries/updates/rollouts'
import { dueIn, paces } from '../../../api/refresh'
import { rolloutDisplay } from '../../../lib/rollout-status'
import { BackLink } from '../../../system/page/back'
import type { LoaderArgs } from '../../../system/scope/guard'
import { lazyPart } from '../../../system/page/lazy'
import { useSystem } from '../../../system/system'
import { RefreshFailed } from '../../../system/refresh/refresh-failed'
import { ChartPanel } from '../../../ui/chart/chart-panel'
import { Chip } from '../../../ui/text/chip'
import { FactStrip } from '../../../ui/layout/facts'
import { Columns, Page, PageHead } from '../../../ui/layout/page'
import { Panel } from '../../../ui/layout/panel'
import { DateTime, useNow } from '../../../ui/text/time'
import { describeNext, describeNextWait, describeOutcome } from './next-step'
import { restartRefusal } from './restart-refusal'
import { RolloutActions } from './rollout-actions'
import { RolloutDevices } from './rollout-devices'
import { RolloutNotes } from './rollout-notes'
import { RolloutPlan } from './rollout-plan'
import { RolloutTimeline } from './rollout-timeline'
import { WaveScale, WaveTable } from './rollout-waves'

const RolloutChart = lazyPart(() => import('./rollout-chart').then((part) => part.RolloutChart))
const route = getRouteApi('/organizations/$organizationId/projects/$projectId/releases/rollouts/$rolloutId')
const project = '/organizations/$organizationId/projects/$projectId' as const
type RolloutNow = AnswerOf<typeof read>
const stack = css({ display: 'grid', gap: '24', gridTemplateColumns: 'minmax(0, 1fr)' })
const scale = css({ p: '16' })

export const load = ({ context: { api, queryClient }, params }: LoaderArgs<'rolloutId'>) =>
  queryClient.ensureQueryData(rolloutQuery(api, params.rolloutId))

const Facts = ({ rollout }: { rollout: Rollout }) => {
  const { api } = useSystem()
  const { organizationId, projectId } = route.useParams()
  const { data: timeline } = useQuery(rolloutTimelineQuery(api, rollout))
  // A start by time or by a rollback has no person.
  const started = timeline?.find(({ kind }) => kind === 'rollout.started')
  return (
    <FactStrip
      facts={[
        {
          label: 'Release',
          value: (
            <Link
              to={`${project}/releases/list/$releaseId/status`}
              params={{ organizationId, projectId, releaseId: rollout.release_id }}
              className={link()}
            >
              {rollout.release_name} <code>{rollout.display_version ?? rollout.version}</code>
            </Link>
          ),
        },
        { label: 'Created by', value: rollout.created_by?.name ?? 'Server' },
        {
          label: 'Started',
          value: (
            <>
              <DateTime value={rollout.started_at} />
              {started && ` by ${started.by ?? (rollout.created_by ? 'schedule' : 'Server')}`}
            </>
          ),
        },
        { label: 'Ended', value: <DateTime value={rollout.ended_at} /> },
      ]}
    />
  )
}

const NextStep = ({ rollout }: { rollout: RolloutNow }) => {
  const now = useNow()
  return <RolloutNotes rollout={rollout} next={describeNext(rollout, now)} wait={describeNextWait(rollout, now)} />
}

/** One rollout: its outcome and next step, its waves and devices, its plan and its history. */
export default function RolloutPage() {
  const { api } = useSystem()
  const params = route.useParams()
  const query = useSuspenseQuery({
    ...rolloutQuery(api, params.rolloutId),
    refetchInterval: ({ state }) => dueIn(state, state.data?.ended_at === null ? paces.event : paces.list),
  })
  const { data: rollout } = query
  const { data: release } = useQuery(releaseQuery(api, rollout.release_id))
  // Nobody deletes a rollout by itself: nothing more is known, and nothing of it can be done.
  if (failureOf(query.error)?.status === 404) throw query.error
  const { shape, word } = rolloutDisplay(rollout)
  return (
    <Page>
      <PageHead
        crumbs={[
          <BackLink key="releases" to={`${project}/releases/list`} params={params}>
            Releases
          </BackLink>,
          <BackLink key="rollouts" to={`${project}/releases/rollouts`} params={params}>
            Rollouts
          </BackLink>,
          rollout.name,
        ]}
        title={rollout.name}
        count={describeOutcome(rollout)}
        chips={<Chip shape={shape}>{word}</Chip>}
        actions={<RolloutActions rollout={rollout} restartRefused={release && restartRefusal(release)} />}
      />
      <RefreshFailed query={query} />
      <div className={stack}>
        <NextStep rollout={rollout} />
        <Facts rollout={rollout} />
        <Panel flush title="Waves">
          <div className={scale}>
            <WaveScale rollout={rollout} />
          </div>
          <WaveTable rollout={rollout} />
        </Panel>
        <Columns
          side={
            <div className={stack}>
              <RolloutTimeline rollout={rollout} />
              <RolloutPlan rollout={rollout} />
            </div>
          }
        >
          <RolloutDevices rollout={rollout} />
        </Columns>
        <ChartPanel about="All states of a rollout, and the way that this one took.">
          <RolloutChart rollout={rollout} />
        </ChartPanel>
      </div>
    </Page>
  )
}
