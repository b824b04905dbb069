import { isShareWave, type Wave } from '../../../../contract/updates/rollout-plans'
import type { Tx } from '../../../core/database/tx'
import { listRanked } from './rank.repository'
import { bounds, divideByTag, plan, type Planned, type Tagged } from './waves'

type Fleet = { rolloutId: string; deviceIds: readonly string[]; tagged: Tagged }

/** The waves of a rollout. */
export const planWaves = async (tx: Tx, { rolloutId, deviceIds, tagged }: Fleet, waves: readonly Wave[]): Promise<Planned[]> => {
  const { byWave, rest } = divideByTag(deviceIds, waves, tagged)
  const { ranked, below } = await listRanked(tx, rolloutId, rest, bounds(waves.filter(isShareWave), rest.length))
  return plan(ranked, below, waves, byWave)
}
