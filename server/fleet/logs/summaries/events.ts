import type { SummaryLine } from './line'

/** How the lines of a rule become events: one failure writes several lines. */
export type Counting = {
  /** Only the lines of the first of these forms that any line has count; the others are cited. */
  counts?: readonly RegExp[]
  /** Lines that follow the first one of an event in its boot within so many milliseconds belong to it. */
  spanMs?: number
}

// What syslog writes for a line that it has joined. More than this is no count that a summary needs.
const joined = /^message repeated (\d{1,5}) times:/

/** The line that begins each event, as often as it has happened. */
export const eventsOf = (lines: readonly SummaryLine[], { counts = [], spanMs }: Counting): SummaryLine[] => {
  const form = counts.find((one) => lines.some(({ message }) => one.test(message)))
  const counted = form ? lines.filter(({ message }) => form.test(message)) : lines
  let begun: SummaryLine | undefined
  return counted.flatMap((line) => {
    if (spanMs !== undefined && begun?.bootId === line.bootId && Math.abs(line.tsMs - begun.tsMs) <= spanMs) return []
    begun = line
    return Array.from({ length: Number(joined.exec(line.message)?.[1] ?? 1) }, () => line)
  })
}
