import type { Release } from '../../../contract/updates/releases'
import { percent } from '../../lib/amounts'
import { StackedBar } from '../../ui/chart/stacked-bar'

type Summary = Pick<NonNullable<Release['rollout_summary']>, 'targeted' | 'succeeded' | 'failed' | 'running'>

/** The progress of a rollout: ended, running, waiting. */
export const RolloutProgress = ({ name, summary }: { name: string; summary: Summary }) => (
  <StackedBar
    label={`Rollout of ${name}`}
    total={summary.targeted}
    parts={[
      { label: 'succeeded', count: summary.succeeded, kind: 'success' },
      { label: 'failed', count: summary.failed, kind: 'error' },
      { label: 'running', count: summary.running, kind: 'info' },
    ]}
  >
    {percent(summary.succeeded, summary.targeted)} %
  </StackedBar>
)
