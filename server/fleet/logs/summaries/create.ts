import { newRow } from '../../../core/database/row'
import type { Tx } from '../../../core/database/tx'
import type { Deps } from '../../../core/deps'
import { refuseField } from '../../../core/http/refuse'
import { defineReading } from '../../../core/reading/reading-threads'
import { listSummaryBatches, type SummaryBatch } from './lines.repository'
import type { ReadLines, SummaryPeriod } from './read-lines'
import { deleteOldLogSummaries, insertLogSummary, type LogSummaryRow } from './repository'
import { engineVersion } from './summarize'

type Device = { id: string; projectId: string }

/** Older summaries than the newest so many are deleted: a summary can be made again. */
const KEPT = 50

const run = defineReading<SummaryPeriod, ReadLines, never, SummaryBatch>('log-lines', 'requests')

/** Reads the lines without a transaction, which must not wait for a thread. */
export const readLines = async (
  { db, log }: Pick<Deps, 'db' | 'log'>,
  device: Device,
  { from, to }: SummaryPeriod,
): Promise<ReadLines> => {
  const outcome = await run({ given: { from, to }, batches: listSummaryBatches(db, device, from, to), log })
  if (outcome.kind === 'stopped') return refuseField('from', 'unreadable', `${outcome.text}. Choose a shorter period`)
  return outcome.result
}

export const createLogSummary = async (
  tx: Tx,
  device: Device,
  { from, to }: SummaryPeriod,
  read: ReadLines,
  now: Date,
): Promise<LogSummaryRow> => {
  const row = {
    ...newRow(now),
    projectId: device.projectId,
    deviceId: device.id,
    from,
    to,
    engineVersion,
    ...read,
  }
  await insertLogSummary(tx, row)
  await deleteOldLogSummaries(tx, device.id, KEPT)
  return row
}
