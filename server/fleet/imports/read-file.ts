import type { Logger } from '../../core/log'
import { refuseField } from '../../core/http/refuse'
import { defineReading } from '../../core/reading/reading-threads'
import type { ImportFile, ReadImport, ReadRow } from './read-rows'

const run = defineReading<ImportFile, ReadImport, ReadRow[]>('device-import', 'requests')

/** The lines of a file, checked one by one. 422 for a file that is none: no columns, no lines, too many lines. */
export const readRows = async (bytes: Buffer, isCsv: boolean, log: Pick<Logger, 'error'>): Promise<ReadRow[]> => {
  const rows: ReadRow[] = []
  const file = { size: bytes.length, read: async (offset: number, length: number) => bytes.subarray(offset, offset + length) }
  const outcome = await run({ given: { isCsv }, files: [file], take: (piece) => void rows.push(...piece), log })
  if (outcome.kind === 'stopped') return refuseField('file', 'unreadable', outcome.text)
  const { problem } = outcome.result
  return problem ? refuseField('file', problem.code, problem.message) : rows
}
