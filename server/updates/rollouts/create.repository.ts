import { eq, max } from 'drizzle-orm'
import { lockProject } from '../../accounts/projects/plan-and-settings.repository'
import type { Tx } from '../../core/database/tx'
import { rollouts, rolloutWaves } from '../schema/rollouts'
import type { Planned } from './waves'

/** Incremented under the project's lock: two releases that are rolled out at once do not get the same number. */
export const lockNextNumber = async (tx: Tx, projectId: string): Promise<number> => {
  await lockProject(tx, projectId)
  const [last] = await tx
    .select({ number: max(rollouts.number) })
    .from(rollouts)
    .where(eq(rollouts.projectId, projectId))
  return (last?.number ?? 0) + 1
}

export const insertRollout = async (tx: Tx, row: typeof rollouts.$inferInsert): Promise<void> => {
  await tx.insert(rollouts).values(row)
}

export const insertWaves = async (tx: Tx, rolloutId: string, waves: readonly Planned[]): Promise<void> => {
  await tx.insert(rolloutWaves).values(
    waves.map(({ wave, percent, share }, n) => ({
      rolloutId,
      n: n + 1,
      percent,
      share,
      tag: wave.kind === 'tag' ? wave.value : null,
      gate: wave.gate,
      state: 'waiting' as const,
    })),
  )
}
