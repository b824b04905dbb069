import { Readable } from 'node:stream'
import type { LogLine, logExportFormats } from '../../../contract/fleet/device-logs'
import type { Tx } from '../../core/database/tx'
import { listLogLines, type LogFilter } from './repository'
import { logLineToJson } from './to-json'

type Format = (typeof logExportFormats)[number]
type Owner = { projectId: string; deviceId: string }

const linesAtOnce = 500

/** A message may have line breaks only in escaped form, so each line stays one. */
const toText = ({ ts_ms: at, level, unit, pid, message }: LogLine) =>
  `${new Date(at).toISOString()} ${level.padEnd(7)} ${unit ?? '-'}${pid === null ? '' : `[${pid}]`}: ${message}\n`

async function* pages(tx: Tx, owner: Owner, filter: LogFilter, format: Format) {
  for (let from = filter.fromSequence ?? 0; ;) {
    const { rows, edge } = await listLogLines(tx, owner, { ...filter, fromSequence: from }, 'newer', linesAtOnce)
    const lines = rows.map(logLineToJson)
    if (lines.length > 0) yield lines.map((line) => (format === 'text' ? toText(line) : `${JSON.stringify(line)}\n`)).join('')
    if (edge === null) return
    from = edge + 1
  }
}

/** The lines of a filter as a file. */
export const exportedLines = (tx: Tx, owner: Owner, filter: LogFilter, format: Format): Readable =>
  Readable.from(pages(tx, owner, filter, format))
