import { and, count, eq, gt, ilike, inArray, sql } from 'drizzle-orm'
import type { UpdateState } from '../../../contract/device/update-events'
import type { QueryOf } from '../../../contract/endpoint'
import type { rolloutDevices as listEndpoint } from '../../../contract/rollouts'
import type { Tx } from '../../core/database/tx'
import { containing, paging, limitTotal } from '../../core/http/paging'
import { devices } from '../../fleet/schema/devices'
import { rolloutDevices } from '../schema/rollouts'

/** Devices that were offered the release of this rollout after a time. */
export const countOfferedSince = async (tx: Tx, rolloutId: string, since: Date): Promise<number> => {
  const recent = and(eq(rolloutDevices.rolloutId, rolloutId), gt(rolloutDevices.offeredAt, since))
  const [row] = await tx.select({ n: count() }).from(rolloutDevices).where(recent)
  return row?.n ?? 0
}

type Query = Omit<NonNullable<QueryOf<typeof listEndpoint>>, 'group' | 'wave'>
type Filter = { states: UpdateState[] | undefined; wave: number | undefined }

/** One page of the devices of a rollout, by name. */
export const listRolloutDevices = async (tx: Tx, rolloutId: string, query: Query, { states, wave }: Filter) => {
  const columns = { name: devices.name, since: rolloutDevices.since }
  const page = paging(query, columns, devices.id, 'name')
  const matching = and(
    eq(rolloutDevices.rolloutId, rolloutId),
    states && inArray(rolloutDevices.state, states),
    wave === undefined ? undefined : eq(rolloutDevices.wave, wave),
    query.q ? ilike(devices.name, containing(query.q)) : undefined,
  )
  const joined = () => eq(devices.id, rolloutDevices.deviceId)
  const found = await tx
    .select({ update: rolloutDevices, name: devices.name })
    .from(rolloutDevices)
    .innerJoin(devices, joined())
    .where(and(matching, page.after))
    .orderBy(...page.order)
    .limit(page.take)
  const [total] = await tx.select({ n: count() }).from(rolloutDevices).innerJoin(devices, joined()).where(matching)
  const bySince = query.sort?.endsWith('since')
  const cut = page.cut(found, ({ update, name }) => [bySince ? update.since.toISOString() : name, update.deviceId])
  return { ...cut, total: limitTotal(total?.n ?? 0) }
}

export type NewRolloutDevice = { deviceId: string; wave: number }

// Keeps each statement well below the database's time limit (5 s): so many rows take a fraction of a second.
const insertedAtOnce = 10_000

/** Adds devices to waves, all of them in the transaction of their rollout. */
export const insertRolloutDevices = async (
  tx: Tx,
  { id, projectId }: { id: string; projectId: string },
  members: readonly NewRolloutDevice[],
  now: Date,
): Promise<void> => {
  for (let from = 0; from < members.length; from += insertedAtOnce) {
    const some = members.slice(from, from + insertedAtOnce)
    await tx.execute(sql`
      insert into ${rolloutDevices}
        (project_id, rollout_id, device_id, wave, state, since, from_release_id, from_version, from_display_version)
      select ${projectId}, ${id}, d.id, chosen.wave, 'queued', ${now.toISOString()}::timestamptz,
        d.installed_release_id, d.installed_version, d.installed_display_version
      from unnest(string_to_array(${some.map(({ deviceId }) => deviceId).join(',')}, ','),
        string_to_array(${some.map(({ wave }) => wave).join(',')}, ',')::int[]) as chosen (id, wave)
      inner join devices d on d.id = chosen.id and d.project_id = ${projectId}
      on conflict do nothing`)
  }
}
