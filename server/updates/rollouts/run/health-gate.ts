import { getProjectSettings } from '../../../accounts/projects/plan-and-settings.repository'
import type { Tx } from '../../../core/database/tx'
import { statesOf } from '../../../fleet/devices/state/update-group'
import { evaluateHealth, type WaveCounts } from './gate'
import { countCritical } from './health-gate.repository'
import type { RolloutContext } from './transitions'
import { findWave, updateWave, type WaveRow } from '../plan/waves.repository'
import { contactPollS } from '../../../accounts/projects/settings'

/** Stores how many devices of a wave with a health gate are in critical health now: later counts are compared with it. */
export const recordHealthBefore = async (
  tx: Tx,
  { id: rolloutId, projectId }: { id: string; projectId: string },
  n: number,
  now: Date,
): Promise<void> => {
  const wave = await findWave(tx, rolloutId, n)
  if (!wave?.gate.health_gate) return
  const pollS = contactPollS(await getProjectSettings(tx, projectId), now)
  await updateWave(tx, wave, { criticalBefore: await countCritical(tx, { projectId, rolloutId, n, pollS, now }) })
}

/** Why the health gate of the open wave fails; null if it passes or there is none. */
export const findHealthFailure = async (
  tx: Tx,
  { row, settings, now }: RolloutContext,
  wave: WaveRow,
  counts: WaveCounts,
): Promise<string | null> => {
  if (!wave.gate.health_gate) return null
  const asked = {
    projectId: row.projectId,
    rolloutId: row.id,
    n: wave.n,
    pollS: contactPollS(settings, now),
    now,
    states: statesOf('succeeded'),
  }
  return evaluateHealth(counts, { before: wave.criticalBefore ?? 0, critical: await countCritical(tx, asked) })
}
