import type { Finding } from '../../../../contract/fleet/log-summaries'
import { findingOf } from './findings'
import type { SummaryLine } from './line'

const jumpMs = 60_000
/** A line that arrives later than this after its own time has a wrong clock: no device keeps lines for so long. */
const oldestMs = 31 * 86_400_000

export type ClockJumps = { back: readonly SummaryLine[]; forward: readonly SummaryLine[] }

type Batch = SummaryLine[]
const batchesOf = (lines: readonly SummaryLine[]): Batch[] => {
  const batches: Batch[] = []
  for (const line of lines) {
    const batch = batches.at(-1)
    const [first] = batch ?? []
    if (batch && first?.receivedMs === line.receivedMs && first.bootId === line.bootId) batch.push(line)
    else batches.push([line])
  }
  return batches
}

const delayOf = ({ receivedMs, tsMs }: SummaryLine) => receivedMs - tsMs

/** The line after the longest step of the clock. */
const longestStep = (before: SummaryLine, lines: readonly SummaryLine[]): SummaryLine | undefined => {
  let longest: SummaryLine | undefined
  let length = 0
  for (const [index, line] of lines.entries()) {
    const step = line.tsMs - (lines[index - 1] ?? before).tsMs
    if (step > length) [longest, length] = [line, step]
  }
  return longest
}

/**
 * Steps of the device's clock within one boot. One that goes back by more than a minute is seen in its lines. One that goes forward
 * looks in them like a pause. It is seen by the arrivals: what follows the newest line of a batch was written after the batch before
 * it had arrived. That holds for devices that send all that they have; one that sends the lines of an outage in several batches is known
 * by their delays, which differ from batch to batch.
 */
export const clockJumpsOf = (lines: readonly SummaryLine[]): ClockJumps => {
  const back: SummaryLine[] = []
  const forward: SummaryLine[] = []
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1]
    if (before === undefined || before.bootId !== line.bootId) continue
    if (before.tsMs - line.tsMs > jumpMs) back.push(line)
    if (delayOf(before) > oldestMs && delayOf(line) <= oldestMs) forward.push(line)
  }
  const batches = batchesOf(lines)
  for (const [index, batch] of batches.entries()) {
    const [first, before, last] = [batches[index - 2]?.at(-1), batches[index - 1]?.at(-1), batch.at(-1)]
    if (!first || !before || !last || first.bootId !== last.bootId || before.bootId !== last.bootId) continue
    const isSteady = Math.abs(delayOf(first) - delayOf(before)) <= jumpMs
    if (!isSteady || last.tsMs - before.tsMs - (last.receivedMs - first.receivedMs) <= jumpMs) continue
    const jumped = longestStep(before, batch)
    if (jumped && !forward.includes(jumped)) forward.push(jumped)
  }
  return { back, forward: forward.toSorted((a, b) => a.sequence - b.sequence) }
}

const times = (count: number) => (count === 1 ? 'once' : `${count} times`)

export const clockJumps = ({ back, forward }: ClockJumps): Finding[] => {
  if (back.length + forward.length === 0) return []
  const told = [
    ...(back.length > 0 ? [`back ${times(back.length)}`] : []),
    ...(forward.length > 0 ? [`forward ${times(forward.length)}`] : []),
  ]
  const sentence = `The clock of the device went ${told.join(' and ')}`
  const step = 'Check its time server: certificates and schedules depend on the clock.'
  const lines = [...back, ...forward].toSorted((a, b) => a.sequence - b.sequence)
  return [findingOf({ rule_id: 'clock_jump', severity: 'notable', sentence, step, lines })]
}
