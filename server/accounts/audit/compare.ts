import type { Tx } from '../../core/database/tx'
import { type Anchor, type Anchors, BadAnchor } from '../../core/audit/anchor'
import { genesis } from '../../../contract/accounts/audit-verification'
import { type ChainRow, findChain, findEntryHash } from './chains.repository'

/**
 * How a chain of the database differs from its anchor: entries at its end or start are missing, entries were replaced, or this
 * installation did not write the anchor.
 */
type Mismatch = 'end_removed' | 'start_removed' | 'rewritten' | 'anchor_changed'

export type Comparison = { anchor: Anchor | undefined; mismatch: Mismatch | null; firstBad: number | null }

const hashAt = async (tx: Tx, chain: ChainRow, sequence: number): Promise<string | undefined> => {
  if (sequence === 0) return genesis
  if (sequence === chain.sequence) return chain.hash
  if (sequence === chain.checkpointSequence) return chain.checkpointHash
  return findEntryHash(tx, chain.id, sequence)
}

const isTrimmedByUs = (
  { id, checkpointSequence: sequence, checkpointHash: hash, checkpointSignature }: ChainRow,
  anchors: Anchors,
) => (sequence === 0 && hash === genesis) || anchors.isCheckpoint({ chain: id, sequence, hash }, checkpointSignature)

const findMismatch = async (
  tx: Tx,
  id: string,
  anchors: Anchors,
  anchor: Anchor | undefined,
): Promise<Omit<Comparison, 'anchor'>> => {
  const chain = await findChain(tx, id)
  const wrong = (mismatch: Mismatch, firstBad: number | null = null) => ({ mismatch, firstBad })
  if (anchor && anchor.sequence > (chain?.sequence ?? 0)) return wrong('end_removed', (chain?.sequence ?? 0) + 1)
  if (!chain) return { mismatch: null, firstBad: null }
  if (!isTrimmedByUs(chain, anchors)) return wrong('start_removed', anchor ? anchor.sequence - anchor.count + 1 : 1)
  // Entries that retention has removed since are covered by the signature of the checkpoint.
  if (!anchor || anchor.sequence < chain.checkpointSequence) return { mismatch: null, firstBad: null }
  if ((await hashAt(tx, chain, anchor.sequence)) !== anchor.hash) return wrong('rewritten')
  return { mismatch: null, firstBad: null }
}

/** Compares a chain of the database with its last anchor. Reads at most one entry. */
export const compare = async (tx: Tx, id: string, anchors: Anchors): Promise<Comparison> => {
  try {
    const anchor = await anchors.find(id)
    return { anchor, ...(await findMismatch(tx, id, anchors, anchor)) }
  } catch (error) {
    if (!(error instanceof BadAnchor)) throw error
    return { anchor: undefined, mismatch: 'anchor_changed', firstBad: null }
  }
}
