import type { Tx } from '../../core/database/tx'
import { insertNewBoots } from './boots.repository'

const mostAtOnce = 20

/** Stores boots that are new. */
export const recordBoots = async (
  tx: Tx,
  owner: { projectId: string; deviceId: string },
  signs: readonly { bootId: string; tsMs: number }[],
  now: Date,
): Promise<void> => {
  const first = new Map<string, number>()
  for (const { bootId, tsMs } of signs) first.set(bootId, Math.min(tsMs, first.get(bootId) ?? tsMs))
  const rows = [...first].slice(0, mostAtOnce).map(([bootId, firstTsMs]) => ({ ...owner, bootId, firstTsMs, seenAt: now }))
  await insertNewBoots(tx, rows)
}
