import type { Tx } from '../../../core/database/tx'
import { emitEvent } from '../../../core/events/emit'
import { formatTimestampOrNull } from '../../../core/timestamps'
import type { CancelRollouts } from '../callbacks'
import { type KeyRow, updateKey } from '../../../fleet/keys/repository'
import { findReleases, updateReleases } from '../repository'
import { listReleasesSignedBy, listReleasesSignedByOthers } from './repository'

type Why = { reason: string; by: string; now: Date }

/** The ids of the releases that are left without a signing key once this one is revoked. */
export const orphansOf = async (tx: Tx, key: KeyRow): Promise<string[]> => {
  const ids = await listReleasesSignedBy(tx, key.id)
  if (ids.length === 0) return []
  const kept = new Set(await listReleasesSignedByOthers(tx, ids, key.id))
  return ids.filter((id) => !kept.has(id))
}

/** Releases signed only by this key are marked and their rollouts are cancelled. */
export const revoke = async (tx: Tx, key: KeyRow, { reason, by, now }: Why, cancelRollouts: CancelRollouts): Promise<void> => {
  const orphans = await orphansOf(tx, key)
  await updateKey(tx, key.id, { state: 'revoked', stateReason: reason }, now)
  const { id, name, fingerprint, projectId, expiresAt } = key
  const data = { key: { id, name, fingerprint }, expires_at: formatTimestampOrNull(expiresAt), reason }
  await emitEvent(tx, { projectId, type: 'key.revoked', data }, now)
  if (orphans.length === 0) return
  // Devices are offered neither of the others; their own reason stays.
  const stopped = (await findReleases(tx, orphans)).filter(({ state }) => state !== 'revoked' && state !== 'archived')
  const stateReason = `The key ${key.name} was revoked: ${reason}`
  await updateReleases(
    tx,
    stopped.map(({ id: releaseId }) => releaseId),
    { stateReason },
    now,
  )
  await cancelRollouts(tx, orphans, { reason: `The key ${key.name} was revoked`, by, now })
}
