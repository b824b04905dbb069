import { asc, inArray, type SQL, sql } from 'drizzle-orm'
import type { Device } from '../../../contract/fleet/devices'
import { rowUpdate } from '../../core/database/row'
import type { Tx } from '../../core/database/tx'
import type { DeviceRow } from '../devices/repository'
import type { RowChange } from '../schema/device-jobs'
import { devices, deviceTags } from '../schema/devices'
import { tags } from '../schema/tags'

/** Locks those of the devices that no other transaction has locked, in the order of their ids. */
export const lockFreeDevices = (tx: Tx, ids: readonly string[], strength: 'update' | 'no key update'): Promise<DeviceRow[]> =>
  tx
    .select()
    .from(devices)
    .where(sql`${devices.id} = any(${sql.param([...ids])}::text[])`)
    .orderBy(asc(devices.id))
    .for(strength, { skipLocked: true })

export const listExistingDevices = async (tx: Tx, ids: readonly string[]): Promise<Set<string>> => {
  const rows = await tx
    .select({ id: devices.id })
    .from(devices)
    .where(inArray(devices.id, [...ids]))
  return new Set(rows.map(({ id }) => id))
}

type TagRef = Device['tags'][number]

/** Those of the tags that exist, and will until the transaction ends. */
export const holdTags = async (tx: Tx, ids: readonly string[]): Promise<Map<string, TagRef>> => {
  if (ids.length === 0) return new Map()
  const rows = await tx
    .select({ id: tags.id, name: tags.name, colour: tags.colour })
    .from(tags)
    .where(inArray(tags.id, [...ids]))
    .orderBy(asc(tags.id))
    .for('key share')
  return new Map(rows.map((tag) => [tag.id, tag]))
}

type Pairs = { device: string; tag: string }[]
const columnsOf = (pairs: Pairs): SQL => {
  const devicesOf = sql.param(pairs.map(({ device }) => device))
  const tagsOf = sql.param(pairs.map(({ tag }) => tag))
  return sql`unnest(${devicesOf}::text[], ${tagsOf}::text[]) as pair (device_id, tag_id)`
}

type OfDevice<C> = { id: string; change: C }
const pairsOf = <C>(changes: readonly OfDevice<C>[], tagIds: (change: C) => readonly string[]): Pairs =>
  changes.flatMap(({ id, change }) => tagIds(change).map((tag) => ({ device: id, tag })))

const changeTags = async (tx: Tx, projectId: string, changes: readonly OfDevice<RowChange & { field: 'tags' }>[], now: Date) => {
  const removed = pairsOf(changes, (change) => change.removed)
  if (removed.length > 0)
    await tx.execute(sql`
      delete from ${deviceTags} using ${columnsOf(removed)}
      where device_tags.device_id = pair.device_id and device_tags.tag_id = pair.tag_id`)
  const added = pairsOf(changes, (change) => change.added)
  if (added.length > 0)
    await tx.execute(sql`
      insert into ${deviceTags} (project_id, device_id, tag_id)
      select ${projectId}, device_id, tag_id from ${columnsOf(added)}`)
  const ids = changes.map(({ id }) => id)
  await tx.update(devices).set(rowUpdate(now)).where(inArray(devices.id, ids))
}

const columns = {
  updates_enabled: sql.raw('updates_enabled = new.value::bool'),
  updates_paused_until: sql.raw('updates_paused_until = new.value::timestamptz'),
  lifecycle: sql.raw('lifecycle = new.value'),
} as const

const textOf = (value: boolean | string | null) => (value === null ? null : String(value))

/** Writes the changes of locked devices, which are all of one field, by one statement or three. */
export const applyChanges = async (
  tx: Tx,
  projectId: string,
  changes: readonly OfDevice<Exclude<RowChange, { field: 'project' }>>[],
  now: Date,
): Promise<void> => {
  const [first] = changes
  if (!first) return
  if (first.change.field === 'tags')
    return changeTags(
      tx,
      projectId,
      changes.flatMap(({ id, change }) => (change.field === 'tags' ? [{ id, change }] : [])),
      now,
    )
  const ids = sql.param(changes.map(({ id }) => id))
  const values = sql.param(changes.map(({ change }) => (change.field === 'tags' ? null : textOf(change.after))))
  await tx.execute(sql`
    update ${devices} set ${columns[first.change.field]}, updated_at = ${now.toISOString()}::timestamptz, revision = revision + 1
    from unnest(${ids}::text[], ${values}::text[]) as new (id, value) where devices.id = new.id`)
}
