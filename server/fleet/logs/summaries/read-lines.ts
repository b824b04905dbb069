import { createHash } from 'node:crypto'
import type { Reader } from '../../../core/reading/protocol'
import type { SummaryLine } from './line'
import type { SummaryBatch } from './lines.repository'
import { masked } from './patterns'
import { summarize } from './summarize'

export type SummaryPeriod = { from: Date; to: Date }
export type ReadLines = ReturnType<typeof summarize> & { inputHash: string; lineCount: number; cut: boolean }

const hashOf = (lines: readonly SummaryLine[]): string => {
  const hash = createHash('sha256')
  for (const { sequence, tsMs, receivedMs, level, unit, bootId, message } of lines)
    hash.update(`${JSON.stringify([sequence, tsMs, receivedMs, level, unit, bootId, message])}\n`)
  return hash.digest('hex')
}

/** Summarizes the lines of a device in a thread: what they say is foreign. */
export const readLogLines: Reader<SummaryPeriod, ReadLines, never, SummaryBatch> = async ({ from, to }, { batches }) => {
  const newestFirst: SummaryLine[] = []
  for await (const batch of batches()) {
    if (batch.kind === 'lines') {
      newestFirst.push(...batch.lines)
      continue
    }
    const { isCut, bootBefore, past } = batch
    const lines = newestFirst.toReversed()
    const week = { ...past, messages: new Set(past.messages.map(masked)) }
    const summary = summarize({ lines, from, to, past: week, bootBefore, isCut })
    return { ...summary, inputHash: hashOf(lines), lineCount: lines.length, cut: isCut }
  }
  throw new Error('The lines have no end')
}
