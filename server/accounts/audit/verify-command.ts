import { createReadStream } from 'node:fs'
import { fingerprintOf } from '../../../contract/device/public-key'
import { type ExportVerdict, verifyExport } from './verify-export'

const codes = { verified: 0, broken: 1, unreadable: 2, unsigned: 3 } as const

const count = (amount: number) => `${amount} ${amount === 1 ? 'entry' : 'entries'}`

const describe = (verdict: Extract<ExportVerdict, { kind: 'verified' }>, fingerprint: string | null): string[] => {
  const { start, entries, omitted, signature } = verdict
  const { checkpoint } = start
  return [
    `VERIFIED: ${count(entries)} of ${start.project_id ?? start.organization_id ?? 'the log'}, up to entry ${start.head_sequence}.`,
    ...(omitted === 0 ? [] : [`${count(omitted)} of the log not in this export: of other projects, or excluded by its filter.`]),
    ...(checkpoint.sequence === 0 ? [] : [`Entries up to ${checkpoint.sequence} were removed by retention (signed checkpoint).`]),
    signature === 'valid'
      ? `Signed with the key ${fingerprint ?? ''}. Compare it with the key that the page of the audit log shows.`
      : 'NOT SIGNED: whoever has changed this file may have computed its hashes again.',
  ]
}

/**
 * `verify-audit FILE [FINGERPRINT]`, without an installation. Resolves to the exit code: 0 verified, 1 changed or signed with another
 * key, 2 not an export or not readable, 3 consistent but not signed.
 */
export const runVerifyCommand = async (file: string | undefined, fingerprint?: string): Promise<number> => {
  if (file === undefined || file === '') throw new Error('verify-audit: name the file of the export')
  const say = (text: string) => void process.stdout.write(`${text}\n`)
  const verdict = await verifyExport(createReadStream(file, 'utf8')).catch((error: Error): ExportVerdict => ({
    kind: 'unreadable',
    text: error.message,
  }))
  if (verdict.kind === 'unreadable') say(`NOT READABLE: ${verdict.text}`)
  if (verdict.kind === 'broken') say(`BROKEN at line ${verdict.line}: ${verdict.text}`)
  if (verdict.kind !== 'verified') return codes[verdict.kind]
  const { key } = verdict.start
  // The fingerprint that the file names could be that of another key.
  const found = key && (await fingerprintOf(key))
  if (fingerprint !== undefined && (verdict.signature !== 'valid' || found !== fingerprint.toLowerCase())) {
    say(`BROKEN: signed with ${verdict.signature === 'valid' ? (found ?? 'no key') : 'no key'}, not with ${fingerprint}.`)
    return codes.broken
  }
  for (const text of describe(verdict, found)) say(text)
  return verdict.signature === 'valid' ? codes.verified : codes.unsigned
}
