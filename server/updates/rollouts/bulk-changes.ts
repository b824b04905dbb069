import { asc, eq, type SQL, sql } from 'drizzle-orm'
import type { BulkChangeKind } from '../../../contract/rollouts'
import { type BulkChange, rollouts } from '../schema/rollouts'
import { statesOf } from '../../fleet/devices/update-group'
import { textList } from '../../core/database/text-list'
import type { Tx } from '../../core/database/tx'
import type { Deps } from '../../core/deps'
import { lockRollout } from './rollout-rows.repository'

/**
 * A trigger copies each changed update to its device, about 0.1 ms each: a batch takes some 100 ms, and its devices wait no
 * longer than that for the lock.
 */
export const batchSize = 1000

const waiting = sql`state in ${textList(statesOf('waiting'))}`
const active = sql`state in ${textList(statesOf('in_progress'))}`
const failed = sql`state in ${textList(statesOf('failed'))}`

type Rule = { of: SQL; set: SQL }

/** Which updates a change concerns, and how it changes them. An update that was changed is no longer concerned. */
const ruleOf = ({ kind, at, reason }: BulkChange): Rule => {
  const since = sql`${at}::timestamptz`
  switch (kind) {
    // From the start on the devices are shown as waiting.
    case 'show_waiting':
      return { of: sql`${waiting} and since < ${since}`, set: sql`since = ${since}` }
    case 'cancel_waiting':
      return { of: waiting, set: sql`state = 'cancelled', since = ${since}, reason = ${reason}` }
    // Devices get it in the answer to their next report.
    case 'ask_abort':
      return { of: sql`${active} and not abort_asked`, set: sql`abort_asked = true` }
    case 'retry_failed':
      return {
        of: sql`${failed} and since <= ${since}`,
        set: sql`state = 'queued', since = ${since}, attempt = 1, not_before = null, reason = null`,
      }
  }
}

type Found = { device_id: string }

const idsOf = async (found: Promise<{ rows: Found[] }>): Promise<string[]> => (await found).rows.map(({ device_id }) => device_id)

/**
 * Applies the next batch of a change, under the lock of its rollout; null when none is left. A device that is reporting holds
 * its own lock and may wait for the rollout's lock: it is skipped until a later batch, since waiting for it would deadlock.
 * Three statements by primary keys: a join would be planned by statistics, and those of a rollout created this minute do not
 * include its devices yet.
 */
const makeBatch = async (tx: Tx, rolloutId: string, change: BulkChange, size: number): Promise<BulkChange | null> => {
  const { of, set } = ruleOf(change)
  const next = sql`select device_id from rollout_devices
    where rollout_id = ${rolloutId} and device_id > ${change.after} and ${of} order by device_id limit ${size}`
  const ids = await idsOf(tx.execute<Found>(next))
  const free = sql`select id as device_id from devices
    where id = any(${sql.param(ids)}::text[]) order by id for no key update skip locked`
  const locked = await idsOf(tx.execute<Found>(free))
  await tx.execute(sql`update rollout_devices set ${set}
    where rollout_id = ${rolloutId} and device_id = any(${sql.param(locked)}::text[]) and ${of}`)
  const last = ids.at(-1)
  if (ids.length >= size && last !== undefined) return { ...change, after: last }
  return (await countLeft(tx, rolloutId, change)) > 0 ? { ...change, after: '' } : null
}

/** How many devices a change has not reached yet. */
export const countLeft = async (tx: Tx, rolloutId: string, change: BulkChange): Promise<number> => {
  const { of } = ruleOf(change)
  const { rows } = await tx.execute<{ n: number }>(
    sql`select count(*)::int as n from rollout_devices where rollout_id = ${rolloutId} and ${of}`,
  )
  return rows[0]?.n ?? 0
}

/** Whether a new change replaces an earlier one: cancelled devices are neither shown as waiting nor retried. */
const replaces = (kind: BulkChangeKind, former: BulkChangeKind) =>
  kind === 'cancel_waiting' ? former !== 'ask_abort' : kind === former

const keep = (tx: Tx, rolloutId: string, bulkChanges: BulkChange[]) =>
  tx.update(rollouts).set({ bulkChanges }).where(eq(rollouts.id, rolloutId))

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
  const [row] = await tx.select({ under: rollouts.bulkChanges }).from(rollouts).where(eq(rollouts.id, rolloutId))
  const under = row?.under ?? []
  const others = under.filter(({ kind }) => !replaces(change.kind, kind))
  const left = await makeBatch(tx, rolloutId, change, batchSize)
  if (left || others.length < under.length) await keep(tx, rolloutId, left ? [...others, left] : others)
}

/** Applies one batch of the first change of a rollout; false if nothing can be done now. */
const continueBatch = (db: Deps['db'], id: string, size: number): Promise<boolean> =>
  db.transaction(async (tx) => {
    const row = await lockRollout(tx, id)
    const [change, ...rest] = row?.bulkChanges ?? []
    if (!change) return false
    const left = await makeBatch(tx, id, change, size)
    await keep(tx, id, left ? [left, ...rest] : rest)
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
  const open = await db
    .select({ id: rollouts.id })
    .from(rollouts)
    .where(sql`${rollouts.bulkChanges} <> '[]'`)
    .orderBy(asc(rollouts.id))
  let ids = open.map(({ id }) => id)
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
