import type { AnswerOf } from '../../../../contract/core/endpoint'
import type { rolloutTimeline } from '../../../../contract/updates/rollouts'
import { formatDate, parseTime } from '../../../lib/dates'

export type TimelineEntry = AnswerOf<typeof rolloutTimeline>['entries'][number]

const measured = 'gate.measured'

/** Newest first. A gate is measured after each report: of a series only the last measurement is kept. */
export const withoutSeries = (oldestFirst: readonly TimelineEntry[]): TimelineEntry[] =>
  oldestFirst
    .filter(({ kind, wave }, index) => {
      const next = oldestFirst[index + 1]
      return kind !== measured || next?.kind !== measured || next.wave !== wave
    })
    .toReversed()

/** The date without the time, in the reader's zone. */
const dateOf = ({ at }: TimelineEntry) => formatDate(parseTime(at)).split(' ')[0] ?? ''

/** The entries of each day, in their order. */
export const byDay = (entries: readonly TimelineEntry[]): { date: string; entries: TimelineEntry[] }[] => {
  const days: { date: string; entries: TimelineEntry[] }[] = []
  for (const entry of entries) {
    const date = dateOf(entry)
    const last = days.at(-1)
    if (last?.date === date) last.entries.push(entry)
    else days.push({ date, entries: [entry] })
  }
  return days
}
