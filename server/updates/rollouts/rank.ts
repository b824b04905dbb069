import type { Wave } from '../../../contract/rollout-plans'
import type { Tx } from '../../core/database/tx'
import { listRanked } from './rank.repository'
import { bounds, plan, type Planned } from './waves'

/** The waves of a rollout. */
export const planWaves = async (
  tx: Tx,
  rolloutId: string,
  deviceIds: readonly string[],
  waves: readonly Wave[],
): Promise<Planned[]> => {
  const { ranked, below } = await listRanked(tx, rolloutId, deviceIds, bounds(waves, deviceIds.length))
  return plan(ranked, below, waves)
}
