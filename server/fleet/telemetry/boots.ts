import type { Tx } from '../../core/database/tx'
import { insertNewBoots } from './boots.repository'

type Sign = { bootId: string; tsMs: number }

const mostAtOnce = 20

/** The boots of these signs with the time of the first sign of each. */
export const firstOfBoots = (signs: readonly Sign[]): { bootId: string; firstTsMs: number }[] => {
  const first = new Map<string, number>()
  for (const { bootId, tsMs } of signs) first.set(bootId, Math.min(tsMs, first.get(bootId) ?? tsMs))
  return [...first].slice(0, mostAtOnce).map(([bootId, firstTsMs]) => ({ bootId, firstTsMs }))
}

/** Stores boots that are new. */
export const recordBoots = async (
  tx: Tx,
  owner: { projectId: string; deviceId: string },
  signs: readonly Sign[],
  now: Date,
): Promise<void> => {
  await insertNewBoots(
    tx,
    firstOfBoots(signs).map((boot) => ({ ...owner, ...boot, seenAt: now })),
  )
}
