import { and, count, eq, isNull, max, ne, sql } from 'drizzle-orm'
import { lockProject } from '../../../accounts/projects/plan-and-settings.repository'
import type { Tx } from '../../../core/database/tx'
import { labelOf } from '../../releases/label'
import type { ReleaseRow } from '../../releases/repository'
import { releases } from '../../schema/releases'
import { rollouts, rolloutWaves } from '../../schema/rollouts'
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

/**
 * "Gateway #2": the second rollout of the release, without ways back. Where another release of the project has the same name, the
 * version stands before the number. Call it under the lock of the project.
 */
export const findRolloutName = async (tx: Tx, release: ReleaseRow): Promise<string> => {
  const { id, projectId, name } = release
  const [others] = await tx
    .select({ n: count() })
    .from(releases)
    .where(and(eq(releases.projectId, projectId), sql`lower(${releases.name}) = lower(${name})`, ne(releases.id, id)))
  const [former] = await tx
    .select({ n: count() })
    .from(rollouts)
    .where(and(eq(rollouts.releaseId, id), isNull(rollouts.rollsBackId)))
  return `${others?.n === 0 ? name : `${name} ${labelOf(release)}`} #${(former?.n ?? 0) + 1}`
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
