import { sql } from 'drizzle-orm'
import { type DeviceRef, sampleSize } from '../../../contract/accounts/events'
import { events } from '../../core/database/schema/events'
import type { Tx } from '../../core/database/tx'

/** How many devices of a project went offline after this time, by its events, with the latest of them. */
export const findOfflineSum = async (tx: Tx, projectId: string, after: Date): Promise<{ count: number; sample: DeviceRef[] }> => {
  const { rows } = await tx.execute<{ count: number; sample: DeviceRef[] | null }>(sql`
    with recent as (
      select id, type, data from ${events}
      where project_id = ${projectId} and type in ('device.offline', 'device.offline.many') and at > ${after.toISOString()}::timestamptz
    )
    select (select coalesce(sum(case when type = 'device.offline' then 1 else (data->>'count')::int end), 0)::int from recent) as count,
      (select jsonb_agg(device) from (
        select device from recent
        cross join lateral jsonb_array_elements(case when type = 'device.offline' then jsonb_build_array(data->'device') else data->'sample' end) as device
        order by id desc limit ${sampleSize}
      ) as latest) as sample`)
  const [row] = rows
  return { count: row?.count ?? 0, sample: row?.sample ?? [] }
}
