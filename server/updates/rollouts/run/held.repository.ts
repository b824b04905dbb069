import { type SQL, sql } from 'drizzle-orm'
import { textList } from '../../../core/database/text-list'
import type { Tx } from '../../../core/database/tx'
import { statesOf } from '../../../fleet/devices/state/update-group'
import { unavailableTexts as texts } from '../decide/checks'
import type { RolloutRow } from '../rows/rollout-rows.repository'

// As in the index devices_unavailable, which finds them without reading the whole fleet.
const unavailable = sql`(d.deleted_at is not null or d.lifecycle <> 'active' or not d.updates_enabled)`
/** Its token is refused, so that it cannot finish a running update. */
const isGone = sql`(d.deleted_at is not null or d.lifecycle = 'decommissioned')`

const reason = sql`case when d.moved_to_id is not null then ${texts.moved} when d.deleted_at is not null then ${texts.deleted} when d.lifecycle = 'disabled' then ${texts.disabled}
  when d.lifecycle = 'decommissioned' then ${texts.decommissioned} when d.lifecycle = 'pending' then ${texts.pending}
  when d.lifecycle = 'rejected' then ${texts.rejected} else ${texts.switchedOff} end`

const cannotUpdate = sql`(${unavailable} and (r.state in ${textList(statesOf('waiting'))}
  or ${isGone} and r.state in ${textList(statesOf('in_progress'))}))`
const canUpdate = sql`(r.state = 'held' and not ${unavailable})`

const listIds = async (tx: Tx, { id }: RolloutRow, which: SQL, most: number): Promise<string[]> => {
  const { rows } = await tx.execute<{ id: string }>(sql`
    select r.device_id as id from devices d inner join rollout_devices r on r.rollout_id = ${id} and r.device_id = d.id
    where ${which} order by r.device_id limit ${most}`)
  return rows.map((row) => row.id)
}

/** Devices of a rollout that cannot update although it waits for them. */
export const listToHold = (tx: Tx, row: RolloutRow, most: number): Promise<string[]> =>
  listIds(tx, row, sql`d.project_id = ${row.projectId} and ${cannotUpdate}`, most)

/** Devices of a rollout that are held and can update again. */
export const listToFree = (tx: Tx, row: RolloutRow, most: number): Promise<string[]> => listIds(tx, row, canUpdate, most)

/** Repeats the condition: a device may have changed before it was locked. */
const change = async (tx: Tx, { id }: RolloutRow, deviceIds: readonly string[], set: SQL, which: SQL): Promise<void> => {
  await tx.execute(sql`update rollout_devices r set ${set} from devices d
    where r.rollout_id = ${id} and r.device_id = any(${sql.param([...deviceIds])}::text[]) and d.id = r.device_id and ${which}`)
}

export const holdUpdates = (tx: Tx, row: RolloutRow, deviceIds: readonly string[], now: Date): Promise<void> =>
  change(tx, row, deviceIds, sql`state = 'held', since = ${now.toISOString()}::timestamptz, reason = ${reason}`, cannotUpdate)

export const freeUpdates = (tx: Tx, row: RolloutRow, deviceIds: readonly string[], now: Date): Promise<void> =>
  change(tx, row, deviceIds, sql`state = 'queued', since = ${now.toISOString()}::timestamptz, reason = null`, canUpdate)
