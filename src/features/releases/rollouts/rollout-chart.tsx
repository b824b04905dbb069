import { useQuery } from '@tanstack/react-query'
import { css } from 'styled-system/css'
import type { Rollout } from '../../../../contract/updates/rollouts'
import layout from '../../../../machines/rollout/rollout.layout.json'
import { rolloutTimelineQuery } from '../../../api/queries/updates/rollouts'
import { readable } from '../../../lib/status-display'
import { FailureBox } from '../../../system/failure/failure-box'
import { useSystem } from '../../../system/system'
import { PanelSkeletons } from '../../../ui/layout/panel'
import { Statechart } from '../../../ui/chart/statechart'
import { wayOf } from './rollout-way'

const scroll = css({ overflow: 'auto', p: '16' })

/** The chart of a rollout with its present state, the way it took, and how often it took each arrow. */
export const RolloutChart = ({ rollout }: { rollout: Rollout }) => {
  const { api } = useSystem()
  // The timeline of the page refreshes it.
  const { data, error, refetch } = useQuery(rolloutTimelineQuery(api, rollout))
  if (data === undefined) return error ? <FailureBox error={error} onRetry={() => void refetch()} /> : <PanelSkeletons rows={4} />
  const { states, lit, walked, last, countOf } = wayOf(data)
  return (
    <div className={scroll} tabIndex={0} role="region" aria-label="Chart">
      <Statechart
        chart={layout}
        label={`${rollout.name}: ${states.map(readable).join(', ')}`}
        lit={lit}
        walked={walked}
        last={last}
        countOf={countOf}
      />
    </div>
  )
}
