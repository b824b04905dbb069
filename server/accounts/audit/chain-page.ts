import type { AuditChainPage, projectAuditChain } from '../../../contract/accounts/audit'
import { genesis } from '../../../contract/accounts/audit-verification'
import type { QueryOf } from '../../../contract/core/endpoint'
import { maxAuditChainPage } from '../../../contract/core/limits'
import { type Anchors, BadAnchor, findAnchors } from '../../core/audit/anchor'
import { auditEntryToJson } from '../../core/audit/to-json'
import type { Tx } from '../../core/database/tx'
import { findChain } from './chains.repository'
import { listChainAfter, type LogKey } from './repository'

type Ends = Pick<AuditChainPage, 'head' | 'checkpoint'>

/** The checkpoint of a chain and its current end. */
export const getEnds = async (tx: Tx, id: string): Promise<Ends> => {
  const chain = await findChain(tx, id)
  if (!chain) return { head: { sequence: 0, hash: genesis }, checkpoint: { sequence: 0, hash: genesis, signature: null } }
  const { sequence, hash, checkpointSequence, checkpointHash, checkpointSignature } = chain
  return {
    head: { sequence, hash },
    checkpoint: { sequence: checkpointSequence, hash: checkpointHash, signature: checkpointSignature },
  }
}

// The page of the log reports an anchor that was changed.
const findSigned = async (anchors: Anchors | undefined, id: string) => {
  try {
    return (await anchors?.findSigned(id)) ?? null
  } catch (error) {
    if (error instanceof BadAnchor) return null
    throw error
  }
}

/** The entries of a chain after one of them, with what a reader needs to verify them without trusting this server. */
export const readChain = async (
  tx: Tx,
  { chainId, projectId }: LogKey,
  dataDirectory: string,
  { after = 0, limit = maxAuditChainPage }: QueryOf<typeof projectAuditChain>,
): Promise<AuditChainPage> => {
  const anchors = await findAnchors(dataDirectory)
  // Before the head: the log never ends before its anchor.
  const anchor = await findSigned(anchors, chainId)
  const { head } = await getEnds(tx, chainId)
  const rows = await listChainAfter(tx, chainId, after, limit)
  // After the entries: retention may just have removed some of them.
  const { checkpoint } = await getEnds(tx, chainId)
  const kept = rows.filter(({ sequence }) => sequence > checkpoint.sequence)
  return {
    chain: chainId,
    head,
    checkpoint,
    anchor,
    key: anchors?.publicKey ?? null,
    entries: kept.map((row) => {
      if (projectId === null || row.projectId === projectId) return auditEntryToJson(row)
      return { sequence: row.sequence, prev_hash: row.prevHash, hash: row.hash }
    }),
  }
}
