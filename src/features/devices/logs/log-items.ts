import type { LogLine } from '../../../../contract/fleet/device-logs'
import type { LogWindow } from '../../../api/queries/fleet/device-logs'
import { formatClock, parseTime } from '../../../lib/dates'
import { formatDuration } from '../../../lib/durations'
import { pluralize } from '../../../lib/pluralize'

/** Without a line for so long, a log has a gap. In milliseconds. */
const gapMs = 120_000

export type LogItem =
  | { kind: 'line'; key: number; line: LogLine }
  | { kind: 'boot'; key: string; bootId: string; text: string; note: string | null }
  | { kind: 'gap'; key: string; text: string }

/** As on the server: a line that arrives so long after its own time is of a clock that was not set yet. In milliseconds. */
const unsetMs = 31 * 86_400_000
const isUnset = ({ ts_ms: at, received_at: received }: LogLine) => parseTime(received).getTime() - at > unsetMs

const missingText = (count: number) => `${pluralize(count, 'line')} missing`

/** What lies between two lines: a new boot, missing numbers, a time without a line. */
const between = (before: LogLine, after: LogLine, boots: LogWindow['about']['boots']): LogItem | null => {
  const missing = after.sequence - before.sequence - 1
  const note = missing > 0 ? missingText(missing) : null
  if (after.boot_id !== null && after.boot_id !== before.boot_id) {
    const former = boots.find(({ boot_id }) => boot_id === before.boot_id)
    const upS = former ? (before.ts_ms - former.first_ts_ms) / 1000 : 0
    const text = upS > 0 ? `was up ${formatDuration(upS)}` : ''
    return { kind: 'boot', key: `boot ${after.sequence}`, bootId: after.boot_id, text, note }
  }
  const silentMs = after.ts_ms - before.ts_ms
  const isSet = isUnset(before) && !isUnset(after)
  const silent = silentMs > gapMs ? (isSet ? 'The clock was set' : `No lines for ${formatDuration(silentMs / 1000)}`) : null
  const back = silentMs < -gapMs ? `The clock went back ${formatDuration(-silentMs / 1000)}` : null
  const text = [silent ?? back, note].filter(Boolean).join(' · ')
  return text === '' ? null : { kind: 'gap', key: `gap ${after.sequence}`, text }
}

/** The rows of a log. A filter leaves lines out, so that only boots can be marked between those that it shows. */
export const toLogItems = (lines: LogWindow['lines'], { boots }: LogWindow['about'], isFiltered: boolean): LogItem[] => {
  const items: LogItem[] = []
  let before: LogLine | undefined
  for (const line of lines) {
    const mark = before && between(before, line, boots)
    if (mark?.kind === 'boot') items.push(isFiltered ? { ...mark, text: '', note: null } : mark)
    else if (mark && !isFiltered) items.push(mark)
    items.push({ kind: 'line', key: line.sequence, line })
    before = line
  }
  return items
}

const two = (value: number, length = 2) => String(value).padStart(length, '0')

/** HH:mm:ss.SSS in the reader's zone. */
export const formatLogTime = (ms: number): string => {
  const date = new Date(ms)
  return `${formatClock(date)}.${two(date.getMilliseconds(), 3)}`
}

/** A line as it is copied: with the whole time, in UTC. */
export const toLineText = ({ ts_ms: at, level, unit, pid, message }: LogLine): string =>
  `${new Date(at).toISOString()} ${level.padEnd(7)} ${unit ?? '-'}${pid === null ? '' : `[${pid}]`}: ${message}`
