import { rolloutMoves } from '../../../machines/rollout/rollout.machine'
import type { Tx } from '../../core/database/tx'
import type { Deps } from '../../core/deps'
import { cancelWaiting } from './steps/cancel'
import { listRolloutsInPhases, lockRolloutIfFree, type RolloutRow } from './rows/rollout-rows.repository'
import { transitionRollout } from './run/transitions'
import { getProjectSettings } from '../../accounts/projects/plan-and-settings.repository'
import { advance } from './advance'
import { countActive } from './offer/counts.repository'
import { addMatchingDevices } from './run/add-matching-devices'
import { holdUnavailable } from './run/held'
import { confirmLate } from './offer/late-success'
import { listRolloutsWithLateSuccess } from './offer/late-success.repository'
import { retry, timeOutUpdates } from './run/timeouts'
import { continueRollBack, endExpiredWayBack, sendBackLate, updateRollBackSummary } from './steps/roll-back'
import { listOutdatedSummaries, listRolledBackTooEarly } from './steps/roll-back.repository'
import { startScheduled } from './run/scheduled'
import { listExpiredWithUpdates } from './run/timeouts.repository'
import { expire } from './run/wave-moves'

const underway = rolloutMoves.withTag('underway')

const isDue = (moment: Date | null, now: Date) => moment !== null && moment <= now

const tickScheduled = async (tx: Tx, row: RolloutRow, now: Date): Promise<RolloutRow> => {
  if (isDue(row.endAt, now)) return expire(tx, row, now)
  return row.startAt === null || row.startAt <= now ? startScheduled(tx, row, now) : row
}

/** The time-driven changes of one rollout, under its lock. */
const advanceRolloutByTime = async (tx: Tx, row: RolloutRow, now: Date): Promise<RolloutRow> => {
  const { phase } = row
  if (phase === 'scheduled') return tickScheduled(tx, row, now)
  const settings = await getProjectSettings(tx, row.projectId)
  await timeOutUpdates(tx, row, settings, now)
  // Bulk changes are still running (server/updates/rollouts/run/bulk-changes): the rollout ends after them.
  const isChanging = row.bulkChanges.length > 0
  // Neither waits for the end of an update whose device may not report any more.
  if (phase === 'cancelling' || phase === 'rolling_back') await holdUnavailable(tx, row, now)
  if (phase === 'cancelling') {
    if (isChanging || (await countActive(tx, row.id)) > 0) return row
    // A running device may have deferred its update since.
    await cancelWaiting(tx, row.id, 'The rollout was cancelled', now)
    return transitionRollout(tx, row, 'cancelling.ended', { now, text: 'No updates are running any more' })
  }
  if (phase === 'rolling_back') return isChanging ? row : continueRollBack(tx, { row, settings, now })
  if (isDue(row.endAt, now)) return expire(tx, row, now)
  await holdUnavailable(tx, row, now)
  const expired = await endExpiredWayBack(tx, row, now)
  if (expired) return expired
  if (!rolloutMoves.hasTag(phase, 'offering')) return row
  await retry(tx, row, now)
  await addMatchingDevices(tx, row, now)
  return advance(tx, { row, settings, now })
}

/** Running updates of a rollout that has ended by its end time may finish, or time out; one that was deferred since is cancelled. */
const endLateUpdates = async (tx: Tx, row: RolloutRow, now: Date): Promise<void> => {
  await timeOutUpdates(tx, row, await getProjectSettings(tx, row.projectId), now)
  if (row.bulkChanges.length === 0) await cancelWaiting(tx, row.id, 'The rollout has ended', now)
}

/**
 * Applies time-driven changes to all rollouts. Safe to call from several processes at once: one of them processes each rollout.
 */
export const tickRollouts = async ({ db, clock, log }: Pick<Deps, 'db' | 'clock' | 'log'>): Promise<void> => {
  const tickEach = async (found: readonly { id: string }[], change: (tx: Tx, row: RolloutRow) => Promise<void>) => {
    for (const { id } of found) {
      try {
        await db.transaction(async (tx) => {
          // Another process that holds the lock is processing it: skipped.
          const row = await lockRolloutIfFree(tx, id)
          if (row) await change(tx, row)
        })
      } catch (error) {
        // An error in one rollout must not stop the others; the next tick retries.
        log.error({ err: error, rollout: id }, 'a rollout could not be advanced')
      }
    }
  }
  // First: the gates count them.
  await tickEach(await listRolloutsWithLateSuccess(db, clock()), (tx, row) => confirmLate(tx, row, clock()))
  await tickEach(await listRolloutsInPhases(db, underway), async (tx, row) => {
    if (!underway.includes(row.phase)) return
    const after = await advanceRolloutByTime(tx, row, clock())
    if (after.endedAt && after.rollsBackId !== null) await updateRollBackSummary(tx, after.rollsBackId, clock())
  })
  await tickEach(await listExpiredWithUpdates(db), (tx, row) => endLateUpdates(tx, row, clock()))
  await tickEach(await listOutdatedSummaries(db), (tx, row) => updateRollBackSummary(tx, row.id, clock()))
  await tickEach(await listRolledBackTooEarly(db), async (tx, row) =>
    sendBackLate(tx, { row, settings: await getProjectSettings(tx, row.projectId), now: clock() }),
  )
}
