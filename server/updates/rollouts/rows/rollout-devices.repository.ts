import { and, count, eq, gt, inArray, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import type { UpdateState } from '../../../../contract/device/update-events'
import type { QueryOf } from '../../../../contract/core/endpoint'
import { exactTotal } from '../../../../contract/core/limits'
import type { rolloutDevices as listEndpoint } from '../../../../contract/updates/rollouts'
import { containsText } from '../../../core/database/fold-case'
import type { Tx } from '../../../core/database/tx'
import { paging, limitTotal } from '../../../core/http/paging'
import { findDevicesWithText } from '../../../fleet/devices/list/text-search.repository'
import { devices } from '../../../fleet/schema/devices'
import { countParts, type Part } from '../../releases/rollout-counts.repository'
import { rolloutDevices } from '../../schema/rollouts'

/** Devices that were offered the release of this rollout after a time. */
export const countOfferedSince = async (tx: Tx, rolloutId: string, since: Date): Promise<number> => {
  const recent = and(eq(rolloutDevices.rolloutId, rolloutId), gt(rolloutDevices.offeredAt, since))
  const [row] = await tx.select({ n: count() }).from(rolloutDevices).where(recent)
  return row?.n ?? 0
}

type Query = Omit<NonNullable<QueryOf<typeof listEndpoint>>, 'group' | 'wave'>
type Filter = { states: readonly UpdateState[] | undefined; wave?: number | undefined; upToWave?: number }
type Rollout = { id: string; projectId: string }

/** The devices of the project with a text in their name or serial number, deleted ones included; null if they are too many to name. */
const listNamed = async (tx: Tx, projectId: string, q: string): Promise<string[] | null> => {
  const found = await findDevicesWithText(tx, projectId, q)
  if (found === null) return null
  const deleted = and(eq(devices.projectId, projectId), isNotNull(devices.deletedAt), isNull(devices.movedToId))
  const gone = await tx
    .select({ id: devices.id })
    .from(devices)
    .where(and(deleted, containsText(devices.name, q)))
  return [...found, ...gone.map(({ id }) => id)]
}

/**
 * One page of the devices of a rollout, by name. The kept counts say which waves and states it has: the page is merged from the
 * devices of each of them, which an index has in the order of their names.
 */
export const listRolloutDevices = async (tx: Tx, rollout: Rollout, query: Query, { states, wave, upToWave }: Filter) => {
  const { name, since, deviceId } = rolloutDevices
  const page = paging(query, { name, since }, deviceId, 'name')
  const parts = (await countParts(tx, rollout.id)).filter(
    (part) =>
      (states?.includes(part.state) ?? true) &&
      (wave === undefined || part.wave === wave) &&
      (upToWave === undefined || part.wave <= upToWave),
  )
  if (parts.length === 0) return { rows: [], next_cursor: null, total: 0 }
  const named = query.q ? await listNamed(tx, rollout.projectId, query.q) : null
  const matching = and(named ? inArray(deviceId, named) : undefined, query.q ? containsText(name, query.q) : undefined)
  const listed = (columns: SQL, after?: SQL) => {
    const one = (part: Part) =>
      and(eq(rolloutDevices.rolloutId, rollout.id), eq(rolloutDevices.wave, part.wave), eq(rolloutDevices.state, part.state))
    return sql.join(
      parts.map((part) => sql`select ${columns} from ${rolloutDevices} where ${and(one(part), matching, after)}`),
      sql` union all `,
    )
  }
  const { rows: places } = await tx.execute<{ id: string }>(sql`
    select device_id as id from (${listed(sql`device_id, name, since`, page.after)}) as rollout_devices
    order by ${sql.join(page.order, sql`, `)} limit ${page.take}`)
  const ids = places.map(({ id }) => id)
  const found = await tx
    .select()
    .from(rolloutDevices)
    .where(and(eq(rolloutDevices.rolloutId, rollout.id), inArray(deviceId, ids)))
  const byId = new Map(found.map((row) => [row.deviceId, row]))
  const bySince = query.sort?.endsWith('since')
  const cut = page.cut(
    ids.flatMap((id) => byId.get(id) ?? []),
    (row) => [bySince ? row.since.toISOString() : row.name, row.deviceId],
  )
  const countNamed = async () => {
    const { rows } = await tx.execute<{ n: number }>(sql`
      select count(*)::int as n from (${listed(sql`1`)} limit ${exactTotal + 1}) as found`)
    return rows[0]?.n ?? 0
  }
  const total = query.q ? await countNamed() : parts.reduce((sum, { n }) => sum + n, 0)
  return { ...cut, total: limitTotal(total) }
}

export type NewRolloutDevice = { deviceId: string; wave: number }

// Keeps each statement well below the database's time limit (5 s): so many rows take a fraction of a second.
const insertedAtOnce = 2500

/**
 * Adds devices to waves, all of them in the transaction of their rollout. Each device is looked up by its id: the statistics of the
 * database do not know a rollout that is new, nor a fleet that has just been imported, and a join that is planned for one row
 * compares each device of a slice with all devices of the rollout.
 */
export const insertRolloutDevices = async (
  tx: Tx,
  { id, projectId }: { id: string; projectId: string },
  members: readonly NewRolloutDevice[],
  now: Date,
): Promise<void> => {
  for (let from = 0; from < members.length; from += insertedAtOnce) {
    const some = members.slice(from, from + insertedAtOnce)
    const ids = some.map(({ deviceId }) => deviceId).join(',')
    await tx.execute(sql`
      insert into ${rolloutDevices}
        (project_id, rollout_id, device_id, name, wave, state, since, from_release_id, from_version, from_display_version)
      select ${projectId}, ${id}, d.id, d.name, chosen.wave, 'queued', ${now.toISOString()}::timestamptz,
        d.installed_release_id, d.installed_version, d.installed_display_version
      from unnest(string_to_array(${ids}, ','),
        string_to_array(${some.map(({ wave }) => wave).join(',')}, ',')::int[]) as chosen (id, wave)
      cross join lateral (select * from devices where devices.id = chosen.id offset 0) as d
      where d.project_id = ${projectId}
      on conflict do nothing`)
    // A change of name that was not committed when these were read: the foreign keys have waited for it, and now prevent another.
    const name = sql`(select d.name from devices d where d.id = r.device_id)`
    await tx.execute(sql`
      update ${rolloutDevices} r set name = ${name}
      where r.rollout_id = ${id} and r.device_id = any(string_to_array(${ids}, ',')) and r.name <> ${name}`)
  }
}
