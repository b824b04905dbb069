import { type ReactNode, useEffect, useRef } from 'react'
import { timeline } from 'styled-system/recipes'
import type { Kind } from '../text/kind'
import { Shape } from './shape'
import type { ShapeName } from './shape'

export type TimelineEvent = {
  key: string
  /** The time as shown; `dateTime` is the same for machines. */
  time: string
  dateTime?: string
  /** Only for important events; the others have a small ring. */
  shape?: ShapeName
  kind?: Kind
  title: ReactNode
  /** After the title, in the same line. */
  text?: ReactNode
  /** A short value at the end of the line. */
  value?: ReactNode
  /** Below the line, in a box. */
  detail?: ReactNode
}

/** Events in the order of their times, on a vertical axis. */

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
          {event.value !== undefined && <span className={classes.value}>{event.value}</span>}
          {event.detail !== undefined && <span className={classes.detail}>{event.detail}</span>}
        </li>
      ))}
    </ol>
  )
}

export type Phase = { name: string; duration?: string; state: 'passed' | 'current' | 'stopped' | 'upcoming' }

const kindOfState: Record<Phase['state'], Kind | 'upcoming' | undefined> = {
  passed: undefined,
  current: 'info',
  stopped: 'error',
  upcoming: 'upcoming',
}

/** The phases of a process from left to right, each with its duration. */
export const Phases = ({ phases, label }: { phases: readonly Phase[]; label: string }) => {
  const classes = timeline()
  const strip = useRef<HTMLOListElement>(null)
  const current = phases.findIndex(({ state }) => state === 'current' || state === 'stopped')
  // Where the phases are wider than the page, the current one is visible.
  useEffect(() => {
    const [all, one] = [strip.current, strip.current?.children[current]]
    if (!all || !one) return
    const [outer, inner] = [all.getBoundingClientRect(), one.getBoundingClientRect()]
    all.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2
  }, [current])
  return (
    <ol ref={strip} className={classes.phases} aria-label={label} tabIndex={0}>
      {phases.map((phase) => (
        <li key={phase.name} className={classes.phase} aria-current={phase.state === 'current' ? 'step' : undefined}>
          <span className={classes.pill} data-kind={kindOfState[phase.state]}>
            {phase.name}
          </span>
          <span className={classes.duration}>{phase.duration}</span>
        </li>
      ))}
    </ol>
  )
}
