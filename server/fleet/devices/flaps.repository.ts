import { sql } from 'drizzle-orm'
import { flapping } from '../../../contract/monitor'
import { devices } from '../schema/devices'
import { deviceFlaps } from '../schema/state-changes'
import type { Tx } from '../../core/database/tx'
import { secondsAfter } from '../../core/days'

const mostTimes = 24
const mostShown = 10

/** The times of a stored row, named `known`, with that of a new one. */
export const addedTimeText = `(excluded.times || known.times)[1:${mostTimes}]`

export type Flapping = { deviceId: string; deviceName: string; kind: 'connectivity' | 'health'; times: number; lastAt: string }

/** The active devices that changed most often of late, those that just did first. */
export const listFlapping = async (tx: Tx, projectId: string, now: Date): Promise<Flapping[]> => {
  const since = sql`${secondsAfter(now, -flapping.hours * 3600).toISOString()}::timestamptz`
  const { rows } = await tx.execute<Flapping>(sql`
    select flap.device_id as "deviceId", ${devices.name} as "deviceName", flap.kind,
      (select count(*) from unnest(flap.times) as one (at) where at >= ${since})::int as times, flap.times[1] as "lastAt"
    from ${deviceFlaps} flap inner join ${devices} on ${devices.id} = flap.device_id
    where flap.project_id = ${projectId} and flap.often_at >= ${since}
      and ${devices.deletedAt} is null and ${devices.lifecycle} = 'active'
    order by flap.often_at desc nulls last, flap.device_id, flap.kind limit ${mostShown}`)
  return rows
}
