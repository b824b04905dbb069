import { Readable } from 'node:stream'
import type { AuditEntry, AuditFilters, exportFormats } from '../../../contract/audit'
import { csvLine } from '../../core/csv'
import type { Tx } from '../../core/database/tx'
import type { Head } from '../../core/audit/chain'
import { listEntriesAfter, type LogKey } from './repository'
import { auditEntryToJson } from '../../core/audit/to-json'

type Format = (typeof exportFormats)[number]
/** The log's project or organization, named in the first line of the file. */
export type ExportScope = { project_id: string } | { organization_id: string }
type Wanted = { log: LogKey; scope: ExportScope; filters: AuditFilters; format: Format; head: Head }

const columns = [
  'sequence',
  'occurred_at',
  'action',
  'result',
  'actor_kind',
  'actor_id',
  'actor_name',
  'actor_email',
  'target_kind',
  'target_id',
  'target_name',
  'source_ip',
  'request_id',
  'reason',
  'changes',
  'prev_hash',
  'hash',
] as const

const rowOf = ({ actor, target, ...entry }: AuditEntry): string =>
  csvLine([
    entry.sequence,
    entry.occurred_at,
    entry.action,
    entry.result,
    actor.kind,
    actor.id,
    actor.name,
    actor.email,
    target.kind,
    target.id,
    target.name,
    entry.source_ip,
    entry.request_id,
    entry.reason,
    entry.changes.length === 0 ? '' : JSON.stringify(entry.changes),
    entry.prev_hash,
    entry.hash,
  ])

const firstLines = ({ scope, filters, format, head }: Wanted): string => {
  const told = { ...scope, filter: filters, head_sequence: head.sequence, head_hash: head.hash }
  return format === 'ndjson' ? `${JSON.stringify(told)}\n` : csvLine([`# ${JSON.stringify(told)}`]) + csvLine(columns)
}

const PAGE = 500

async function* pages(tx: Tx, wanted: Wanted) {
  yield firstLines(wanted)
  const { log, filters, format, head } = wanted
  for (let last = 0; ;) {
    const part = { after: last, until: head.sequence, most: PAGE }
    const rows = await listEntriesAfter(tx, log, filters, part)
    const entries = rows.map(auditEntryToJson)
    if (entries.length > 0)
      yield entries.map((entry) => (format === 'csv' ? rowOf(entry) : `${JSON.stringify(entry)}\n`)).join('')
    const end = entries.at(-1)
    if (entries.length < PAGE || !end) return
    last = end.sequence
  }
}

/** The log as a file, read page by page: up to the head that its first line names, however many entries are added meanwhile. */
export const exported = (tx: Tx, wanted: Wanted): Readable => Readable.from(pages(tx, wanted))
