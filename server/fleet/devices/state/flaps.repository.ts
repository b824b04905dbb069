import { type SQL, sql } from 'drizzle-orm'
import { exactTotal } from '../../../../contract/core/limits'
import { flapping } from '../../../../contract/overview/monitor'
import { devices } from '../../schema/devices'
import { deviceFlaps } from '../../schema/state-changes'
import type { Tx } from '../../../core/database/tx'
import { secondsAfter } from '../../../core/days'

const mostTimes = 24
const mostShown = 10

/** The times of a stored row, named `known`, with that of a new one. */
export const addedTimeText = `(excluded.times || known.times)[1:${mostTimes}]`

export type Flapping = { deviceId: string; deviceName: string; kind: 'connectivity' | 'health'; times: number; lastAt: string }

const flappingSince = (now: Date) => sql`${secondsAfter(now, -flapping.hours * 3600).toISOString()}::timestamptz`

const flappingDevices = (projectId: string, now: Date) => sql`
  select distinct flap.device_id from ${deviceFlaps} flap inner join ${devices} flapping on flapping.id = flap.device_id
  where flap.project_id = ${projectId} and flap.often_at >= ${flappingSince(now)}
    and flapping.deleted_at is null and flapping.lifecycle = 'active'`

/** Whether a device is one of the active ones that flap. */
export const isFlapping = (projectId: string, now: Date): SQL => sql`${devices.id} in (${flappingDevices(projectId, now)})`

/** The number of flapping devices: beyond the exact totals of lists, one more than these. */
export const countFlapping = async (tx: Tx, projectId: string, now: Date): Promise<number> => {
  const { rows } = await tx.execute<{ n: number }>(sql`
    select count(*)::int as n from (${flappingDevices(projectId, now)} limit ${exactTotal + 1}) as counted`)
  return rows[0]?.n ?? 0
}

/** The active devices that changed most often of late, those that just did first. */
export const listFlapping = async (tx: Tx, projectId: string, now: Date): Promise<Flapping[]> => {
  const since = flappingSince(now)
  const { rows } = await tx.execute<Flapping>(sql`
    select flap.device_id as "deviceId", ${devices.name} as "deviceName", flap.kind,
      (select count(*) from unnest(flap.times) as one (at) where at >= ${since})::int as times, flap.times[1] as "lastAt"
    from ${deviceFlaps} flap inner join ${devices} on ${devices.id} = flap.device_id
    where flap.project_id = ${projectId} and flap.often_at >= ${since}
      and ${devices.deletedAt} is null and ${devices.lifecycle} = 'active'
    order by flap.often_at desc nulls last, flap.device_id, flap.kind limit ${mostShown}`)
  return rows
}
