import { and, eq, inArray, ne } from 'drizzle-orm'
import { signingKeys } from '../../../fleet/schema/keys'
import { releases, releaseSignatures } from '../../schema/releases'
import type { Tx } from '../../../core/database/tx'
import type { CancelRollouts } from '../callbacks'
import { rowUpdate } from '../../../core/database/row'
import type { KeyRow } from '../../../fleet/keys/repository'

type Why = { reason: string; by: string; now: Date }

/** Releases that are left without a signing key once this one is revoked. */
const orphansOf = async (tx: Tx, key: KeyRow): Promise<string[]> => {
  const own = await tx
    .select({ id: releaseSignatures.releaseId })
    .from(releaseSignatures)
    .where(eq(releaseSignatures.keyId, key.id))
  const ids = own.map(({ id }) => id)
  if (ids.length === 0) return []
  const others = await tx
    .select({ id: releaseSignatures.releaseId })
    .from(releaseSignatures)
    .innerJoin(signingKeys, eq(signingKeys.id, releaseSignatures.keyId))
    .where(and(inArray(releaseSignatures.releaseId, ids), ne(signingKeys.id, key.id), ne(signingKeys.state, 'revoked')))
  const kept = new Set(others.map(({ id }) => id))
  return ids.filter((id) => !kept.has(id))
}

/** Releases signed only by this key are marked and their rollouts are cancelled. */
export const revoke = async (tx: Tx, key: KeyRow, { reason, by, now }: Why, cancelRollouts: CancelRollouts): Promise<void> => {
  const orphans = await orphansOf(tx, key)
  await tx
    .update(signingKeys)
    .set({ ...rowUpdate(now), state: 'revoked', stateReason: reason })
    .where(eq(signingKeys.id, key.id))
  if (orphans.length === 0) return
  await tx
    .update(releases)
    .set({ ...rowUpdate(now), stateReason: `The key ${key.name} was revoked: ${reason}` })
    .where(inArray(releases.id, orphans))
  await cancelRollouts(tx, orphans, { reason: `The key ${key.name} was revoked`, by, now })
}
