import { sql } from 'drizzle-orm'
import { metricLifetimeMs } from '../../../contract/fleet/health'
import { projects } from '../../accounts/schema/projects'
import type { Tx } from '../../core/database/tx'
import { eventPolls } from '../devices/state/connectivity'
import { devices } from '../schema/devices'
import { deviceStateChanges } from '../schema/state-changes'
import { latestMetrics } from '../schema/telemetry'

/**
 * Makes the health of connected devices unknown whose last contact is so long after their newest metric that none says anything about
 * them any more: no batch would. Rows that are locked are left for the next run. Returns how many, at most `limit`.
 */
export const forgetStaleHealth = async (tx: Tx, now: Date, limit: number): Promise<number> => {
  const at = sql`${now.toISOString()}::timestamptz`
  const { rowCount } = await tx.execute(sql`
    with stale as materialized (
      select d.id, d.health_status as was, coalesce(d.polling_interval_s, (p.settings ->> 'polling_interval_s')::int) as poll_s
      from ${devices} d inner join ${projects} p on p.id = d.project_id inner join ${latestMetrics} m on m.device_id = d.id
      where d.deleted_at is null and d.contact in ('online', 'late') and d.health_status <> 'unknown' and not exists (
        select from json_array_elements(m.readings) as reading
        where (reading ->> 0)::float8 >= extract(epoch from d.last_seen_at) * 1000 - ${metricLifetimeMs}::float8
      )
      limit ${limit} for no key update of d skip locked
    ),
    noted as (
      insert into ${deviceStateChanges} (device_id, kind, was, due_at)
      select id, 'health', was, ${at} + make_interval(secs => poll_s * ${eventPolls}::float8) from stale
      on conflict (device_id, kind) do update set due_at = excluded.due_at
    )
    update ${devices} set health_status = 'unknown', health_reasons = '[]' from stale where devices.id = stale.id`)
  return rowCount ?? 0
}
