import { createHash } from 'node:crypto'
import { newRow } from '../../../core/database/row'
import type { Tx } from '../../../core/database/tx'
import type { SummaryLine } from './line'
import { listSummaryLines, readPast } from './lines.repository'
import { deleteOldLogSummaries, insertLogSummary, type LogSummaryRow } from './repository'
import { engineVersion, summarize } from './summarize'

type Device = { id: string; projectId: string }

/** Older summaries than the newest so many are deleted: a summary can be made again. */
const KEPT = 50

const hashOf = (lines: readonly SummaryLine[]): string => {
  const hash = createHash('sha256')
  for (const { sequence, tsMs, receivedMs, level, unit, bootId, message } of lines)
    hash.update(`${JSON.stringify([sequence, tsMs, receivedMs, level, unit, bootId, message])}\n`)
  return hash.digest('hex')
}

export const createLogSummary = async (tx: Tx, device: Device, from: Date, to: Date, now: Date): Promise<LogSummaryRow> => {
  const { lines, cut, bootBefore } = await listSummaryLines(tx, device, from, to)
  const { verdict, content } = summarize({ lines, from, to, past: await readPast(tx, device, from), bootBefore, isCut: cut })
  const row = {
    ...newRow(now),
    projectId: device.projectId,
    deviceId: device.id,
    from,
    to,
    engineVersion,
    inputHash: hashOf(lines),
    lineCount: lines.length,
    cut,
    verdict,
    content,
  }
  await insertLogSummary(tx, row)
  await deleteOldLogSummaries(tx, device.id, KEPT)
  return row
}
