import { sql } from 'drizzle-orm'
import type { Tx } from '../../core/database/tx'
import { valueCountChanges, valueCounts, type ValueKind } from '../schema/counts'
import { devices } from '../schema/devices'
import { latestMetrics } from '../schema/telemetry'

/** How many rows have which value of a kind. */
export const countValues = async (tx: Tx, projectId: string, kind: ValueKind): Promise<Map<string, number>> => {
  const of = sql`project_id = ${projectId} and kind = ${kind}`
  const { rows } = await tx.execute<{ value: string; n: number }>(sql`
    select value, sum(n)::bigint as n
    from (select value, n from ${valueCounts} where ${of} union all select value, n from ${valueCountChanges} where ${of}) as kept
    group by value having sum(n) <> 0`)
  return new Map(rows.map((row) => [row.value, row.n]))
}

export const valueColumns = sql.raw('project_id, kind, value')

/** All values counted anew, and as they are kept. */
export const countedValues = sql`
  select project_id, one.kind, one.value, count(*) as n
  from ${devices}, device_values(hardware_model, installed_release_id, secure_boot_bundle_id, secure_boot_state, import_id,
    last_seen_at, lifecycle, protocol, trusted_keys) as one
  where deleted_at is null group by ${valueColumns}
  union all
  select latest.project_id, 'metric', metric::text, count(*)
  from ${latestMetrics} as latest inner join ${devices} on devices.id = latest.device_id, jsonb_array_elements(metrics) as metric
  where deleted_at is null group by 1, 2, 3`
export const keptValues = sql`(select * from ${valueCounts} union all select * from ${valueCountChanges}) as kept`

/** Adds the changes to the counts, as of devices. */
export const addUpValues = async (tx: Tx): Promise<void> => {
  await tx.execute(sql`
    with taken as (delete from ${valueCountChanges} returning *)
    insert into ${valueCounts} (${valueColumns}, n)
    select ${valueColumns}, sum(n) from taken group by ${valueColumns} having sum(n) <> 0 order by ${valueColumns}
    on conflict on constraint value_counts_value do update set n = ${valueCounts}.n + excluded.n`)
}
