import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type {
  AuditChainPage,
  AuditEntry,
  AuditFilters,
  ExportEnd,
  exportFormats,
  ExportStart,
} from '../../../contract/accounts/audit'
import type { Anchors } from '../../core/audit/anchor'
import { csvLine } from '../../core/csv'
import type { Tx } from '../../core/database/tx'
import type { Head } from '../../core/audit/chain'
import { listEntriesAfter, type LogKey } from './repository'
import { auditEntryToJson } from '../../core/audit/to-json'

type Format = (typeof exportFormats)[number]
/** The log's project or organization, named in the first line of the file. */
export type ExportScope = { project_id: string } | { organization_id: string }
type Wanted = {
  log: LogKey
  scope: ExportScope
  filters: AuditFilters
  format: Format
  head: Head
  checkpoint: AuditChainPage['checkpoint']
  /** Sign the last line of NDJSON; undefined before the first start. */
  anchors: Anchors | undefined
}

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

const firstLines = ({ log, scope, filters, format, head, checkpoint, anchors }: Wanted): string => {
  const about = { ...scope, filter: filters, head_sequence: head.sequence, head_hash: head.hash }
  if (format === 'csv') return csvLine([`# ${JSON.stringify(about)}`]) + csvLine(columns)
  const first: ExportStart = { ...about, chain: log.chainId, checkpoint, key: anchors?.publicKey ?? null }
  return `${JSON.stringify(first)}\n`
}

const PAGE = 500

async function* pages(tx: Tx, wanted: Wanted) {
  const { log, filters, format, head, anchors } = wanted
  const bytes = createHash('sha256')
  const out = (text: string) => {
    bytes.update(text)
    return text
  }
  yield out(firstLines(wanted))
  let count = 0
  for (let last = 0; ;) {
    const part = { after: last, until: head.sequence, most: PAGE }
    const rows = await listEntriesAfter(tx, log, filters, part)
    const entries = rows.map(auditEntryToJson)
    count += entries.length
    if (entries.length > 0)
      yield out(entries.map((entry) => (format === 'csv' ? rowOf(entry) : `${JSON.stringify(entry)}\n`)).join(''))
    const end = entries.at(-1)
    if (entries.length < PAGE || !end) break
    last = end.sequence
  }
  if (format === 'csv') return
  const end = { chain: log.chainId, entries: count, sha256: bytes.digest('hex') }
  yield `${JSON.stringify({ end: { ...end, signature: anchors?.signExport(end) ?? null } } satisfies ExportEnd)}\n`
}

/**
 * The log as a file, read page by page: up to the head that its first line names, however many entries are added meanwhile. The
 * last line of NDJSON has the number of entries and the SHA-256 of the bytes before it, signed.
 */
export const exported = (tx: Tx, wanted: Wanted): Readable => Readable.from(pages(tx, wanted))
