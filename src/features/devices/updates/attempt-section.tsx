import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import type { UpdateEvent } from '../../../../contract/updates/device-updates'
import { formatBytes } from '../../../lib/bytes'
import { formatClock, formatExact } from '../../../lib/dates'
import { readable, updateDisplay } from '../../../lib/status-display'
import { groupFingerprint } from '../../../lib/names'
import { lazyPart } from '../../../system/page/lazy'
import { Chip } from '../../../ui/text/chip'
import type { ShapeName } from '../../../ui/layout/shape'
import { DateTime, useNow } from '../../../ui/text/time'
import { Phases, Timeline, type TimelineEvent } from '../../../ui/layout/timeline'
import { type Attempt, outcomeOf, phasesOf } from './attempts'
import { type DownloadSpeed, downloadSpeedOf } from './download-speed'

const DownloadChart = lazyPart(() => import('./download-chart').then((part) => part.DownloadChart))
const EventDrawer = lazyPart(() => import('./event-drawer').then((part) => part.EventDrawer))

/** Fewer say no more than the mean. */
const leastPoints = 3

const opener = css({ textAlign: 'start', fontWeight: 'medium', cursor: 'pointer', _hover: { textDecoration: 'underline' } })
const chart = css({ mb: '16', maxW: '640' })
const head = css({ display: 'flex', alignItems: 'center', flexWrap: 'wrap', gap: '8', mb: '12' })
const name = css({ textStyle: 'heading' })
const quiet = css({ color: 'muted', textStyle: 'small', ml: 'auto' })
const phases = css({ mb: '16', overflowX: 'auto' })

// Only important events have a full shape; the others have a small ring.
const shapeOf = (type: string): ShapeName | undefined => {
  if (type === 'update_confirmed') return 'success'
  if (type === 'rollback_completed') return 'back'
  if (type === 'update_deferred') return 'paused'
  if (type === 'update_claimed') return 'waiting'
  return /failed|timed_out|cancelled/.test(type) ? 'error' : undefined
}

const wordsOf = (event: UpdateEvent) =>
  [
    event.reason_code,
    event.slot && `slot ${event.slot}`,
    event.type.endsWith('_progress') && event.progress_percent !== null && `${Math.floor(event.progress_percent)} %`,
    event.bytes_done !== null && formatBytes(event.bytes_done),
    event.source === 'server' && 'by server',
  ]
    .filter(Boolean)
    .join(', ')

const speedText = ({ mean }: DownloadSpeed) => `${formatBytes(Math.round(mean))}/s`

type Shown = { onOpen: (event: UpdateEvent) => void; speed: DownloadSpeed | null }

const entryOf = (event: UpdateEvent, { onOpen, speed }: Shown): TimelineEvent => {
  const date = new Date(event.ts_ms)
  const fingerprint = /^[0-9a-f]{64}$/.test(event.message ?? '') ? event.message : null
  return {
    key: event.id,
    time: formatClock(date),
    dateTime: date.toISOString(),
    shape: shapeOf(event.type),
    title: (
      <button
        type="button"
        className={opener}
        title={`${formatExact(date)}: show as JSON`}
        aria-haspopup="dialog"
        onClick={() => onOpen(event)}
      >
        {readable(event.type)}
      </button>
    ),
    text: fingerprint ? `key ${groupFingerprint(fingerprint, 12)}` : wordsOf(event),
    value:
      event.type === 'download_completed' && speed !== null ? (
        speedText(speed)
      ) : event.boot_id === null ? undefined : (
        <code>boot {event.boot_id.slice(0, 4)}</code>
      ),
    detail: event.message !== null && fingerprint === null ? event.message : undefined,
  }
}

// A download or an install reports its progress many times; only the last report of a series is shown.
const condensed = (events: readonly UpdateEvent[]) =>
  events.filter((event, index) => !event.type.endsWith('_progress') || events[index - 1]?.type !== event.type)

const LivePhases = ({ attempt }: { attempt: Attempt }) => <Phases label="Phases" phases={phasesOf(attempt, useNow())} />

type Props = {
  attempt: Attempt
  /** The device is at it. */
  isCurrent: boolean
  /** Without its other events neither the result nor the phases are known. */
  isPartial: boolean
}

/** One attempt of one rollout: its result, the duration of each phase, and every event. */
export const AttemptSection = ({ attempt, isCurrent, isPartial }: Props) => {
  const [opened, setOpened] = useState<UpdateEvent>()
  const speed = downloadSpeedOf(attempt.events.toReversed())
  const { state, reason } = outcomeOf(attempt)
  const { shape, word } = updateDisplay(state)
  const begun = attempt.events.at(-1)
  return (
    <section aria-label={`${attempt.name}, attempt ${attempt.attempt}`}>
      <header className={head}>
        <h2 className={name}>{attempt.name}</h2>
        <span className={css({ color: 'muted' })}>· attempt {attempt.attempt}</span>
        {!isPartial && <Chip shape={shape}>{reason === null || state === 'succeeded' ? word : `${word}: ${reason}`}</Chip>}
        {begun && (
          <span className={quiet}>
            <DateTime value={new Date(begun.ts_ms)} />
          </span>
        )}
      </header>
      {!isPartial && (
        <div className={phases}>
          {isCurrent ? <LivePhases attempt={attempt} /> : <Phases label="Phases" phases={phasesOf(attempt)} />}
        </div>
      )}
      {!isPartial && speed !== null && speed.points.length >= leastPoints && (
        <div className={chart}>
          <Suspense>
            <DownloadChart speed={speed} />
          </Suspense>
        </div>
      )}
      <Timeline
        label="Events"
        events={(isPartial ? attempt.events : condensed(attempt.events)).map((event) =>
          entryOf(event, { onOpen: setOpened, speed }),
        )}
      />
      <Suspense>{opened && <EventDrawer event={opened} onClose={() => setOpened(undefined)} />}</Suspense>
    </section>
  )
}
