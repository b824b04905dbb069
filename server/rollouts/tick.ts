import { asc, eq, inArray } from 'drizzle-orm'
import type { RolloutPhase } from '../../machines/rollout/rollout.machine'
import { rollouts } from '../database/schema/rollouts'
import type { Tx } from '../database/tx'
import type { Deps } from '../deps'
import { moveRollout, type RolloutRow } from '../delivery/rollout-moves'
import { settingsOf } from '../telemetry/project'
import { advance } from './advance'
import { countActive } from './counts'
import { join } from './join'
import { retry, timeOut } from './lapse'
import { isBack } from './roll-back'
import { expire, start } from './wave-moves'

const moving: RolloutPhase[] = [
  'scheduled',
  'filling',
  'soaking',
  'waiting_for_user',
  'paused',
  'halted',
  'rolling_back',
  'cancelling',
]

const isDue = (moment: Date | null, now: Date) => moment !== null && moment <= now

/** What time does to one rollout, under its lock. */
export const tickOne = async (tx: Tx, row: RolloutRow, now: Date): Promise<RolloutRow> => {
  const { phase } = row
  if (phase !== 'scheduled') await timeOut(tx, row, await settingsOf(tx, row.projectId), now)
  if (phase === 'cancelling')
    return (await countActive(tx, row.id)) === 0
      ? moveRollout(tx, row, 'cancelling.ended', { now, text: 'Nothing is under way any more' })
      : row
  if (phase === 'rolling_back')
    return (await isBack(tx, row)) ? moveRollout(tx, row, 'rollback.ended', { now, text: 'What could go back is back' }) : row
  if (isDue(row.endAt, now)) return expire(tx, row, now)
  if (phase === 'scheduled') return isDue(row.startAt, now) ? start(tx, row, { now, by: null }) : row
  if (phase !== 'filling' && phase !== 'soaking') return row
  await retry(tx, row, now)
  await join(tx, row, now)
  return advance(tx, row, now)
}

const locked = async (tx: Tx, id: string) => {
  // Another process that holds it is at work on it: nothing to wait for.
  const [row] = await tx.select().from(rollouts).where(eq(rollouts.id, id)).for('update', { skipLocked: true })
  return row
}

/** Moves all rollouts on by the clock. Any number of processes may call it at once: each rollout is moved by one of them. */
export const tickRollouts = async ({ db, clock, log }: Pick<Deps, 'db' | 'clock' | 'log'>): Promise<void> => {
  const open = await db
    .select({ id: rollouts.id })
    .from(rollouts)
    .where(inArray(rollouts.phase, moving))
    .orderBy(asc(rollouts.id))
  for (const { id } of open) {
    try {
      await db.transaction(async (tx) => {
        const row = await locked(tx, id)
        if (row && moving.includes(row.phase)) await tickOne(tx, row, clock())
      })
    } catch (error) {
      // One rollout that cannot move must not stop the others; the next tick tries again.
      log.error({ err: error, rollout: id }, 'a rollout could not be moved on')
    }
  }
}
