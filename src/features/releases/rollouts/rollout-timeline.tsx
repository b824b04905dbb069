import { useQuery } from '@tanstack/react-query'
import { css } from 'styled-system/css'
import type { Rollout } from '../../../../contract/updates/rollouts'
import { rolloutTimelineQuery } from '../../../api/queries/updates/rollouts'
import { dueIn, paces } from '../../../api/refresh'
import { formatClock, formatExact, parseTime } from '../../../lib/dates'
import { FailureBox } from '../../../system/failure/failure-box'
import { useSystem } from '../../../system/system'
import { Panel, PanelSkeletons } from '../../../ui/layout/panel'
import type { ShapeName } from '../../../ui/layout/shape'
import { Timeline } from '../../../ui/layout/timeline'
import { byDay, type TimelineEntry, withoutSeries } from './timeline-days'

const day = css({ textStyle: 'small', color: 'muted', mb: '4' })
const days = css({ display: 'grid', gap: '12' })

// Only a change that people look for has a full shape; the others have a small ring.
const shapes: Readonly<Record<string, ShapeName>> = {
  'gate.failed': 'error',
  'rollout.halted': 'error',
  'rollout.denied': 'error',
  'gate.passed': 'success',
  'targets.ended': 'success',
  'rollout.paused': 'paused',
  'gate.waited': 'paused',
  'rollback.began': 'back',
  'rollback.ended': 'back',
}

const toEvent = ({ at, kind, text, by }: TimelineEntry, index: number) => {
  const date = parseTime(at)
  return {
    key: `${at} ${index}`,
    time: formatClock(date),
    dateTime: at,
    shape: shapes[kind],
    title: <span title={formatExact(date)}>{text}</span>,
    text: by === null ? undefined : `by ${by}`,
  }
}

/** What happened to a rollout and what its gates measured, newest first. */
export const RolloutTimeline = ({ rollout }: { rollout: Rollout }) => {
  const { api } = useSystem()
  const { data, error, refetch } = useQuery({
    ...rolloutTimelineQuery(api, rollout),
    refetchInterval: ({ state }) => rollout.ended_at === null && dueIn(state, paces.event),
  })
  return (
    <Panel title="Timeline" flush={data === undefined}>
      {data !== undefined ? (
        <div className={days}>
          {byDay(withoutSeries(data)).map(({ date, entries }) => (
            <section key={date} aria-label={date}>
              <p className={day}>{date}</p>
              <Timeline label={`Timeline of ${date}`} events={entries.map(toEvent)} />
            </section>
          ))}
        </div>
      ) : error ? (
        <FailureBox error={error} onRetry={() => void refetch()} />
      ) : (
        <PanelSkeletons rows={4} />
      )}
    </Panel>
  )
}
