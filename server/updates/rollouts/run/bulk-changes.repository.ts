import { asc, eq, type SQL, sql } from 'drizzle-orm'
import { textList } from '../../../core/database/text-list'
import type { Tx } from '../../../core/database/tx'
import { statesOf } from '../../../fleet/devices/state/update-group'
import { type BulkChange, rollouts } from '../../schema/rollouts'

export type { BulkChange } from '../../schema/rollouts'

const waiting = sql`state in ${textList(statesOf('waiting'))}`
const notBegun = sql`(${waiting} or state = 'held')`
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
      return { of: notBegun, set: sql`state = 'cancelled', since = ${since}, reason = coalesce(${reason}, reason)` }
    // Devices get it in the answer to their next report; one that was silent for too long may still be at work.
    case 'ask_abort':
      return { of: sql`(${active} or state = 'timed_out') and not abort_asked`, set: sql`abort_asked = true` }
    case 'retry_failed':
      return {
        of: sql`${failed} and since <= ${since}`,
        set: sql`state = 'queued', since = ${since}, attempt = 1, not_before = null, reason = null`,
      }
  }
}

type Found = { device_id: string }

const idsOf = async (found: Promise<{ rows: Found[] }>): Promise<string[]> => (await found).rows.map(({ device_id }) => device_id)

/** The next devices that a change concerns, after its position, by id. */
export const listNextDevices = (tx: Tx, rolloutId: string, change: BulkChange, size: number): Promise<string[]> =>
  idsOf(
    tx.execute<Found>(sql`select device_id from rollout_devices
    where rollout_id = ${rolloutId} and device_id > ${change.after} and ${ruleOf(change).of} order by device_id limit ${size}`),
  )

/** Locks those of the devices that no other transaction has locked, and returns their ids. */
export const lockFreeDevices = (tx: Tx, ids: readonly string[]): Promise<string[]> =>
  idsOf(
    tx.execute<Found>(sql`select id as device_id from devices
    where id = any(${sql.param([...ids])}::text[]) order by id for no key update skip locked`),
  )

export const applyBulkChange = async (tx: Tx, rolloutId: string, change: BulkChange, ids: readonly string[]): Promise<void> => {
  const { of, set } = ruleOf(change)
  await tx.execute(sql`update rollout_devices set ${set}
    where rollout_id = ${rolloutId} and device_id = any(${sql.param([...ids])}::text[]) and ${of}`)
}

/** How many devices a change has not reached yet. */
export const countLeft = async (tx: Tx, rolloutId: string, change: BulkChange): Promise<number> => {
  const { of } = ruleOf(change)
  const { rows } = await tx.execute<{ n: number }>(
    sql`select count(*)::int as n from rollout_devices where rollout_id = ${rolloutId} and ${of}`,
  )
  return rows[0]?.n ?? 0
}

/** The changes that are still running; none if there is no such rollout. */
export const findBulkChanges = async (tx: Tx, rolloutId: string): Promise<BulkChange[]> => {
  const [row] = await tx.select({ running: rollouts.bulkChanges }).from(rollouts).where(eq(rollouts.id, rolloutId))
  return row?.running ?? []
}

export const updateBulkChanges = async (tx: Tx, rolloutId: string, bulkChanges: BulkChange[]): Promise<void> => {
  await tx.update(rollouts).set({ bulkChanges }).where(eq(rollouts.id, rolloutId))
}

/** The ids of the rollouts with a running change, oldest first. */
/** A condition. */
export const areChangesLeft = sql`exists (select from ${rollouts} where ${rollouts.bulkChanges} <> '[]')`

export const listRolloutsWithBulkChanges = async (tx: Tx): Promise<string[]> => {
  const rows = await tx
    .select({ id: rollouts.id })
    .from(rollouts)
    .where(sql`${rollouts.bulkChanges} <> '[]'`)
    .orderBy(asc(rollouts.id))
  return rows.map(({ id }) => id)
}
