import type { Tx } from '../../../core/database/tx'
import { lockFreeDevices } from './bulk-changes.repository'
import { freeUpdates, holdUpdates, listToFree, listToHold } from './held.repository'
import type { RolloutRow } from '../rows/rollout-rows.repository'

// Keeps a tick short; the others follow at the next one, two seconds later.
const atOnce = 500

/**
 * Takes devices out of the counts of a rollout that cannot update until a person changes that, and puts those back that can
 * again. A device that asks for an update holds its own lock and may wait for a shard of the rollout: it is skipped until the next tick.
 */
export const holdUnavailable = async (tx: Tx, row: RolloutRow, now: Date): Promise<void> => {
  const unable = await listToHold(tx, row, atOnce)
  if (unable.length > 0) await holdUpdates(tx, row, await lockFreeDevices(tx, unable), now)
  const able = await listToFree(tx, row, atOnce)
  if (able.length > 0) await freeUpdates(tx, row, await lockFreeDevices(tx, able), now)
}
