import type { BulkChangeKind } from '../../../../contract/updates/rollouts'
import type { Tx } from '../../../core/database/tx'
import type { Deps } from '../../../core/deps'
import {
  applyBulkChange,
  type BulkChange,
  countLeft,
  findBulkChanges,
  listNextDevices,
  listRolloutsWithBulkChanges,
  lockFreeDevices,
  updateBulkChanges,
} from './bulk-changes.repository'
import { lockRollout } from '../rows/rollout-rows.repository'

/**
 * A trigger copies each changed update to its device, about 0.1 ms each: a batch takes some 100 ms, and its devices wait no
 * longer than that for the lock.
 */
export const batchSize = 1000

/**
 * Applies the next batch of a change, under the lock of its rollout; null when none is left. A device that asks for an update holds
 * its own lock and may wait for a shard of the rollout, which a transition locks: it is skipped until a later batch, since waiting
 * for it would deadlock.
 * Three statements by primary keys: a join would be planned by statistics, and those of a rollout created this minute do not
 * include its devices yet.
 */
const makeBatch = async (tx: Tx, rolloutId: string, change: BulkChange, size: number): Promise<BulkChange | null> => {
  const ids = await listNextDevices(tx, rolloutId, change, size)
  await applyBulkChange(tx, rolloutId, change, await lockFreeDevices(tx, ids))
  const last = ids.at(-1)
  if (ids.length >= size && last !== undefined) return { ...change, after: last }
  return (await countLeft(tx, rolloutId, change)) > 0 ? { ...change, after: '' } : null
}

/** Whether a new change replaces an earlier one: cancelled devices are neither shown as waiting nor retried. */
const replaces = (kind: BulkChangeKind, former: BulkChangeKind) =>
  kind === 'cancel_waiting' ? former !== 'ask_abort' : kind === former

/**
 * Starts a change of many devices under the lock of their rollout: the first batch, which is all of a small rollout, is applied
 * at once; the rest is stored with the rollout, so that `runBulkChanges` continues it, also after this process was killed.
 */
export const beginBulkChange = async (
  tx: Tx,
  rolloutId: string,
  asked: { kind: BulkChangeKind; now: Date; reason?: string },
): Promise<void> => {
  const change = { kind: asked.kind, at: asked.now.toISOString(), reason: asked.reason ?? null, after: '' }
  const running = await findBulkChanges(tx, rolloutId)
  const others = running.filter(({ kind }) => !replaces(change.kind, kind))
  const left = await makeBatch(tx, rolloutId, change, batchSize)
  if (left || others.length < running.length) await updateBulkChanges(tx, rolloutId, left ? [...others, left] : others)
}

/** Applies one batch of the first change of a rollout; false if nothing can be done now. */
const continueBatch = (db: Deps['db'], id: string, size: number): Promise<boolean> =>
  db.transaction(async (tx) => {
    const row = await lockRollout(tx, id)
    const [change, ...rest] = row?.bulkChanges ?? []
    if (!change) return false
    const left = await makeBatch(tx, id, change, size)
    await updateBulkChanges(tx, id, left ? [left, ...rest] : rest)
    const waitsForDevices = left?.after === '' && change.after === ''
    return !waitsForDevices && (left !== null || rest.length > 0)
  })

type Limits = { size?: number; rounds?: number }

/**
 * Continues the changes of all rollouts, a batch of each in turn, so that a large one does not delay the others. Each batch is
 * its own transaction and stores its position: a killed process loses no batch and repeats none.
 */
export const runBulkChanges = async (
  { db, log }: Pick<Deps, 'db' | 'log'>,
  { size = batchSize, rounds = 100 }: Limits = {},
): Promise<void> => {
  let ids = await listRolloutsWithBulkChanges(db)
  for (let round = 0; round < rounds && ids.length > 0; round++) {
    const left: string[] = []
    for (const id of ids) {
      // An error in one rollout must not stop the others; the next run retries.
      const more = await continueBatch(db, id, size).catch((error: unknown) => {
        log.error({ err: error, rollout: id }, 'a change of the devices of a rollout could not continue')
        return false
      })
      if (more) left.push(id)
    }
    ids = left
  }
}
