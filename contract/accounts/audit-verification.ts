import canonicalize from 'canonicalize'
import type { AuditAnchorRecord, AuditChainPage, AuditEntry, AuditLink } from './audit'
import { type Bytes, fromBase64, utf8 } from '../device/bytes'
import { isSignatureOfBytes } from '../device/dsse'
import { importPublicKey, type PublicKey } from '../device/public-key'

/** The `prev_hash` of the first entry of a chain. */
export const genesis = '0'.repeat(64)

/**
 * The text whose SHA-256 in lower-case hex is the `hash` of an entry: the previous hash and the RFC 8785 form of all other
 * fields. Anyone who has an entry can check it: the server, the console, or a reader of an export.
 */
export const hashedText = (entry: Omit<AuditEntry, 'hash'> & { hash?: string }): string => {
  const { prev_hash, hash: _, ...rest } = entry
  return prev_hash + (canonicalize(rest) ?? '')
}

/** What the key of an installation signs. The text starts with the purpose, so a signature is valid for one purpose only. */
export const signedAuditText = (purpose: 'head' | 'checkpoint' | 'export', value: object): Bytes =>
  utf8(`teasel audit ${purpose} 1\n${canonicalize(value) ?? ''}`)

export type SignatureResult = 'valid' | 'invalid' | 'unable'

/** `unable`: without a key or a signature, or where the browser has no Ed25519. */
export const checkAuditSignature = async (
  key: PublicKey | null,
  purpose: 'head' | 'checkpoint' | 'export',
  value: object,
  signature: string | null,
): Promise<SignatureResult> => {
  if (key === null || signature === null || !('subtle' in crypto) || !(await importPublicKey(key))) return 'unable'
  const bytes = fromBase64(signature)
  return bytes && (await isSignatureOfBytes(key, signedAuditText(purpose, value), bytes)) ? 'valid' : 'invalid'
}

type ChainFault = 'missing' | 'out_of_order' | 'not_linked' | 'changed' | 'end' | 'head' | 'checkpoint' | 'anchor'

/** The first wrong entry of a chain. `found`: the number that is in its place. */
export type ChainFinding = { sequence: number; fault: ChainFault; found?: number }

const faultTexts: Record<ChainFault, (finding: ChainFinding) => string> = {
  missing: ({ sequence, found }) => `Entry ${sequence} is missing: entry ${found ?? sequence + 1} follows instead.`,
  out_of_order: ({ sequence, found }) => `Entry ${found ?? 0} is in the place of entry ${sequence}.`,
  not_linked: ({ sequence }) =>
    `Entry ${sequence} does not continue the entry before it: one of the two was replaced or belongs to another log.`,
  changed: ({ sequence }) => `Entry ${sequence} was changed: its hash does not match its fields.`,
  end: ({ sequence }) => `The log ends before entry ${sequence}, which was recorded.`,
  head: ({ sequence }) => `Entry ${sequence} is not the recorded end of the log: its hash differs.`,
  checkpoint: ({ sequence }) => `Entries before entry ${sequence} were removed, and not by retention.`,
  anchor: ({ sequence }) => `Entry ${sequence} differs from the entry that the installation signed.`,
}

export const describeFinding = (finding: ChainFinding): string => faultTexts[finding.fault](finding)

/** The position of an entry in its chain, and its hash. */
export type ChainPosition = { sequence: number; hash: string }

export const isEntry = (step: AuditEntry | AuditLink): step is AuditEntry => 'action' in step

/** Compares one step with the step before it. With `gaps` the entries between them may be missing. */
export const checkStep = (
  last: ChainPosition,
  step: AuditEntry | AuditLink,
  sha256: (text: string) => string,
  gaps = false,
): ChainFinding | null => {
  const next = last.sequence + 1
  const { sequence } = step
  if (sequence < next) return { sequence: next, fault: 'out_of_order', found: sequence }
  if (sequence > next && !gaps) return { sequence: next, fault: 'missing', found: sequence }
  if (sequence === next && step.prev_hash !== last.hash) return { sequence, fault: 'not_linked' }
  return isEntry(step) && sha256(hashedText(step)) !== step.hash ? { sequence, fault: 'changed' } : null
}

const checkAnchor = ({ sequence, hash }: ChainPosition, anchor: AuditAnchorRecord | null): ChainFinding | null =>
  anchor && anchor.sequence === sequence && anchor.hash !== hash ? { sequence, fault: 'anchor' } : null

export type ChainProgress = {
  /** Verified entries and the number of all entries that the log had at the start. */
  checked: number
  total: number
  /** Entries whose contents were hashed; the others belong to projects that the reader does not see. */
  recomputed: number
  first: number
  last: number
  finding: ChainFinding | null
  done: boolean
  /** The entries before `first` were removed by retention. */
  checkpoint: { sequence: number; signature: SignatureResult } | null
  anchor: { sequence: number; at: string; signature: SignatureResult } | null
  key: PublicKey | null
}

const startOf = (page: AuditChainPage): ChainProgress => ({
  checked: 0,
  total: page.head.sequence - page.checkpoint.sequence,
  recomputed: 0,
  first: page.checkpoint.sequence + 1,
  last: page.checkpoint.sequence,
  finding: null,
  done: false,
  checkpoint: null,
  anchor: null,
  key: page.key,
})

/**
 * Verifies a log page by page, from its checkpoint to the head that it had on the first page. Keeps only the last position, so
 * the length of the log does not matter.
 */
export const createChainVerifier = (sha256: (text: string) => string) => {
  let progress: ChainProgress | undefined
  let at: ChainPosition = { sequence: 0, hash: genesis }
  let head = at
  let anchor: AuditAnchorRecord | null = null

  const fail = (now: ChainProgress, finding: ChainFinding): ChainProgress => ({ ...now, finding, done: true })

  // On the first page, and when retention has removed entries since the page before.
  const enterCheckpoint = async (now: ChainProgress, { chain, checkpoint, key }: AuditChainPage): Promise<ChainProgress> => {
    const { sequence, hash, signature } = checkpoint
    const skipped = Math.max(0, sequence - at.sequence)
    at = { sequence, hash }
    if (sequence === 0) return hash === genesis ? now : fail(now, { sequence: 1, fault: 'checkpoint' })
    const result = await checkAuditSignature(key, 'checkpoint', { chain, sequence, hash }, signature)
    const moved = {
      ...now,
      checkpoint: { sequence, signature: result },
      first: sequence + 1,
      total: Math.max(0, head.sequence - sequence),
      checked: now.checked === 0 ? 0 : Math.max(0, now.checked - skipped),
    }
    const isUnsigned = signature === null || result === 'invalid'
    return isUnsigned ? fail(moved, { sequence: sequence + 1, fault: 'checkpoint' }) : moved
  }

  const enterAnchor = async (now: ChainProgress, page: AuditChainPage): Promise<ChainProgress> => {
    if (!page.anchor) return now
    const { signature, ...signed } = page.anchor
    const result = await checkAuditSignature(page.key, 'head', signed, signature)
    const shown = { ...now, anchor: { sequence: signed.sequence, at: signed.at, signature: result } }
    if (result === 'invalid' || signed.chain !== page.chain) return fail(shown, { sequence: signed.sequence, fault: 'anchor' })
    return signed.sequence > head.sequence ? fail(shown, { sequence: head.sequence + 1, fault: 'end' }) : shown
  }

  const walk = (now: ChainProgress, steps: AuditChainPage['entries']): ChainProgress => {
    let { checked, recomputed } = now
    const counted = () => ({ ...now, checked, recomputed, last: at.sequence })
    for (const step of steps) {
      if (step.sequence > head.sequence && at.sequence === head.sequence) break
      const finding = checkStep(at, step, sha256) ?? checkAnchor(step, anchor)
      if (finding) return fail(counted(), finding)
      at = { sequence: step.sequence, hash: step.hash }
      checked += 1
      if (isEntry(step)) recomputed += 1
    }
    return counted()
  }

  const finish = (now: ChainProgress, isLast: boolean): ChainProgress => {
    if (at.sequence > head.sequence) return { ...now, done: true }
    if (at.sequence < head.sequence) return isLast ? fail(now, { sequence: at.sequence + 1, fault: 'end' }) : now
    return at.hash === head.hash ? { ...now, done: true } : fail(now, { sequence: at.sequence, fault: 'head' })
  }

  return {
    /** Verifies the next page: the entries after `last`. */
    add: async (page: AuditChainPage): Promise<ChainProgress> => {
      const isFirst = progress === undefined
      let now = progress ?? startOf(page)
      if (isFirst) {
        head = page.head
        anchor = page.anchor
        now = await enterAnchor(now, page)
      }
      const isMoved = page.checkpoint.sequence > at.sequence
      if (!now.done && (isFirst || isMoved)) now = await enterCheckpoint(now, page)
      const wrong = checkAnchor(at, anchor)
      if (!now.done && wrong) now = fail(now, wrong)
      if (!now.done) now = walk(now, page.entries)
      if (!now.done) now = finish(now, page.entries.length === 0 && !isMoved)
      progress = now
      return now
    },
  }
}
