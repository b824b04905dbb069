import { eq } from 'drizzle-orm'
import { signingKeys } from '../schema/keys'
import type { Tx } from '../../core/database/tx'

/** The algorithms of the project's signing keys by fingerprint: devices report fingerprints only. */
export const algorithmsOf = async (tx: Tx, projectId: string): Promise<Map<string, string>> => {
  const { fingerprint, algorithm } = signingKeys
  const rows = await tx.select({ fingerprint, algorithm }).from(signingKeys).where(eq(signingKeys.projectId, projectId))
  return new Map(rows.map((key) => [key.fingerprint, key.algorithm]))
}
