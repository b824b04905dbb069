import { getRouteApi, Link } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import { type Overview, shownRollouts } from '../../../contract/overview/monitor'
import { describeWait, rolloutDisplay } from '../../lib/rollout-status'
import { Chip } from '../../ui/text/chip'
import { Panel, PanelRow, PanelSkeletons } from '../../ui/layout/panel'
import { StackedBar } from '../../ui/chart/stacked-bar'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/monitor')
const row = css({ display: 'flex', alignItems: 'center', flexWrap: 'wrap', gap: '12', w: 'full' })
const bar = css({ flex: '1', minW: '160' })
const waits = css({ flexBasis: 'full', textStyle: 'small', color: 'muted' })
const numbers = css({ textStyle: 'small', color: 'muted' })

const rounded = (value: number) => Math.round(value * 10) / 10

export const RunningRollouts = ({ rollouts }: { rollouts: Overview['rollouts'] | undefined }) => {
  const params = route.useParams()
  return (
    <Panel
      flush
      title="Open rollouts"
      aside={
        rollouts &&
        (rollouts.length < shownRollouts ? (
          String(rollouts.length)
        ) : (
          <Link
            to="/organizations/$organizationId/projects/$projectId/releases/rollouts"
            params={params}
            className={link()}
            aria-label="All open rollouts"
          >
            All
          </Link>
        ))
      }
    >
      {rollouts === undefined && <PanelSkeletons rows={1} />}
      {rollouts?.length === 0 && <PanelRow>Not Found. Start a rollout from a signed release.</PanelRow>}
      {rollouts?.map((rollout) => {
        const { shape, word } = rolloutDisplay(rollout)
        const wait = describeWait(rollout)
        const { succeeded, failed, running, targeted } = rollout.counts
        return (
          <PanelRow key={rollout.id}>
            <span className={row}>
              <Link
                to="/organizations/$organizationId/projects/$projectId/releases/rollouts/$rolloutId"
                params={{ ...params, rolloutId: rollout.id }}
                className={link()}
                data-ink
              >
                {rollout.name}
              </Link>
              <Chip shape={shape}>{word}</Chip>
              <span className={bar}>
                <StackedBar
                  label={rollout.name}
                  total={targeted}
                  parts={[
                    { label: 'succeeded', count: succeeded, kind: 'success' },
                    { label: 'failed', count: failed, kind: 'error' },
                    { label: 'running', count: running, kind: 'info' },
                  ]}
                >
                  {succeeded + failed} of {targeted}
                </StackedBar>
              </span>
              <span className={numbers}>
                {rounded(rollout.failed_percent)} % failed{rollout.gate_percent !== null && `, gate ${rollout.gate_percent} %`}
              </span>
              {wait !== undefined && <span className={waits}>{wait}.</span>}
            </span>
          </PanelRow>
        )
      })}
    </Panel>
  )
}
