import { asc, inArray } from 'drizzle-orm'
import type { Tx } from '../../../core/database/tx'
import { rollouts } from '../../schema/rollouts'
import type { RolloutRow } from '../rows/rollout-rows.repository'

/** The rollouts of these releases, oldest first. */
export const listRolloutsOfReleases = (tx: Tx, releaseIds: readonly string[]): Promise<RolloutRow[]> =>
  tx
    .select()
    .from(rollouts)
    .where(inArray(rollouts.releaseId, [...releaseIds]))
    .orderBy(asc(rollouts.id))

/** The rollouts of these releases, locked in the order of their ids. */
export const lockRolloutsOfReleases = (tx: Tx, releaseIds: readonly string[]): Promise<RolloutRow[]> =>
  tx
    .select()
    .from(rollouts)
    .where(inArray(rollouts.releaseId, [...releaseIds]))
    .orderBy(asc(rollouts.id))
    .for('no key update')
