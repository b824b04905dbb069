import { createHash } from 'node:crypto'
import { is } from 'superstruct'
import { AuditEntry, ExportEnd, ExportStart } from '../../../contract/accounts/audit'
import {
  type ChainPosition,
  checkAuditSignature,
  checkStep,
  describeFinding,
  type SignatureResult,
} from '../../../contract/accounts/audit-verification'

export type ExportVerdict =
  | { kind: 'unreadable'; text: string }
  | { kind: 'broken'; text: string; line: number }
  | {
      kind: 'verified'
      start: ExportStart
      entries: number
      /** Entries of the log that the export leaves out: those of other projects, or that the filter excludes. */
      omitted: number
      signature: SignatureResult
    }

type Line = { number: number; text: string }

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<Line> {
  let rest = ''
  let number = 0
  for await (const chunk of chunks) {
    const parts = (rest + chunk).split('\n')
    rest = parts.pop() ?? ''
    for (const text of parts) yield { number: ++number, text }
  }
  if (rest !== '') yield { number: number + 1, text: rest }
}

const broken = (line: number, text: string): ExportVerdict => ({ kind: 'broken', line, text })

/** Whether the export contains every entry of its log, so that none may be missing between two of them. */
const isWhole = ({ organization_id, filter }: ExportStart) => organization_id !== undefined && Object.keys(filter).length === 0

const checkEnd = async (start: ExportStart, { end }: ExportEnd, found: { entries: number; sha256: string }) => {
  const { signature, ...signed } = end
  if (signed.chain !== start.chain) return 'The last line belongs to another log.'
  if (signed.entries !== found.entries) return `The last line counts ${signed.entries} entries, the file has ${found.entries}.`
  if (signed.sha256 !== found.sha256) return 'The SHA-256 of the last line is not that of the lines before it.'
  return checkAuditSignature(start.key, 'export', signed, signature).then((result) =>
    result === 'invalid' ? 'The signature of the last line is not valid.' : { signature: result },
  )
}

const checkHead = (start: ExportStart, last: ChainPosition): string | null => {
  const { head_sequence: sequence, head_hash: hash } = start
  if (last.sequence > sequence) return `Entry ${last.sequence} follows the head of the first line, entry ${sequence}.`
  if (last.sequence === sequence) return last.hash === hash ? null : describeFinding({ sequence, fault: 'head' })
  return isWhole(start) ? describeFinding({ sequence: last.sequence + 1, fault: 'end' }) : null
}

/**
 * Verifies an export as NDJSON line by line: each entry's hash, its link to the entry before, the checkpoint, the head and the
 * signature. Uses the same memory for any length, and needs neither a server nor a database.
 */
export const verifyExport = async (chunks: AsyncIterable<string>): Promise<ExportVerdict> => {
  let start: ExportStart | undefined
  let last: ChainPosition = { sequence: 0, hash: '' }
  let entries = 0
  let omitted = 0
  let end: ExportEnd | undefined
  const bytes = createHash('sha256')
  for await (const { number, text } of linesOf(chunks)) {
    const value = parse(text)
    if (end) return broken(number, 'Lines follow the last line of the export.')
    if (is(value, ExportEnd)) {
      end = value
      continue
    }
    bytes.update(`${text}\n`)
    if (start === undefined) {
      if (!is(value, ExportStart))
        return { kind: 'unreadable', text: 'This is not an export as NDJSON: the first line does not name a log and its head.' }
      start = value
      const { sequence, hash, signature } = start.checkpoint
      const isTrimmedByRetention =
        sequence === 0 ||
        (await checkAuditSignature(start.key, 'checkpoint', { chain: start.chain, sequence, hash }, signature)) === 'valid'
      if (!isTrimmedByRetention) return broken(number, describeFinding({ sequence: sequence + 1, fault: 'checkpoint' }))
      last = { sequence, hash }
      continue
    }
    if (!is(value, AuditEntry)) return broken(number, 'This line is not an entry of an audit log.')
    const finding = checkStep(last, value, sha256, !isWhole(start))
    if (finding) return broken(number, describeFinding(finding))
    omitted += value.sequence - last.sequence - 1
    last = value
    entries += 1
  }
  if (!start) return { kind: 'unreadable', text: 'The file is empty.' }
  const head = checkHead(start, last)
  if (head !== null) return broken(entries + 1, head)
  if (!end) return broken(entries + 1, 'The last line of the export is missing: the file was cut off.')
  const result = await checkEnd(start, end, { entries, sha256: bytes.digest('hex') })
  if (typeof result === 'string') return broken(entries + 2, result)
  omitted += start.head_sequence - last.sequence
  return { kind: 'verified', start, entries, omitted, ...result }
}
