import type { ReactNode } from 'react'
import { timeline } from 'styled-system/recipes'
import type { Kind } from './kind'
import { Shape } from './shape'
import type { ShapeName } from './shape'

export type TimelineEvent = {
  key: string
  time: string
  dateTime?: string
  /** Only important events have a full shape; the others a small ring. */
  shape?: ShapeName
  kind?: Kind
  title: ReactNode
  text?: ReactNode
  fact?: ReactNode
  detail?: ReactNode
}

export const Timeline = ({ events, label }: { events: readonly TimelineEvent[]; label: string }) => {
  const classes = timeline()
  return (
    <ol className={classes.root} aria-label={label}>
      {events.map((event) => (
        <li key={event.key} className={classes.event}>
          <time className={classes.time} dateTime={event.dateTime}>
            {event.time}
          </time>
          <span className={classes.axis} data-part="axis">
            <Shape name={event.shape ?? 'notreached'} kind={event.kind ?? (event.shape === undefined ? 'neutral' : undefined)} />
          </span>
          <span className={classes.text}>
            <b>{event.title}</b> {event.text}
          </span>
          {event.fact !== undefined && <span className={classes.fact}>{event.fact}</span>}
          {event.detail !== undefined && <span className={classes.detail}>{event.detail}</span>}
        </li>
      ))}
    </ol>
  )
}

export type Phase = { name: string; took?: string; state: 'passed' | 'current' | 'stopped' | 'rest' }

const kindOfState: Record<Phase['state'], Kind | 'rest' | undefined> = {
  passed: undefined,
  current: 'info',
  stopped: 'error',
  rest: 'rest',
}

/** The phases of one attempt, left to right, and how long each took. */
export const Phases = ({ phases, label }: { phases: readonly Phase[]; label: string }) => {
  const classes = timeline()
  return (
    <ol className={classes.phases} aria-label={label} tabIndex={0}>
      {phases.map((phase) => (
        <li key={phase.name} className={classes.phase} aria-current={phase.state === 'current' ? 'step' : undefined}>
          <span className={classes.pill} data-kind={kindOfState[phase.state]}>
            {phase.name}
          </span>
          <span className={classes.took}>{phase.took}</span>
        </li>
      ))}
    </ol>
  )
}
