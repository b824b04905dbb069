import { sql } from 'drizzle-orm'
import { eventsPerMinute, sampleSize, type SummedType } from '../../../../contract/accounts/events'
import type { Connectivity, Health } from '../../../../contract/fleet/devices'
import { events } from '../../../core/database/schema/events'
import type { Tx } from '../../../core/database/tx'
import { devices } from '../../schema/devices'
import { deviceStateChanges } from '../../schema/state-changes'

/** A change to announce. `extra`: it is one of `n` beyond the limit of the minute, and only the first of them are returned. */
export type DueChange = {
  projectId: string
  id: string
  name: string
  serialNumber: string | null
  lastSeenAt: string | null
  extra: boolean
  n: number
} & (
  | { type: Exclude<SummedType, 'device.health_changed'>; was: Connectivity }
  | { type: 'device.health_changed'; was: Health['status']; state: Health['status'] }
)

/** A condition. */
export const areChangesDue = sql`exists (select from ${deviceStateChanges} where ${deviceStateChanges.dueAt} <= now())`

/**
 * Takes the changes of connectivity and health that are due. Those that were undone meanwhile, or whose device is not active, are
 * removed; beyond the limit of a minute they are taken together, once in a minute.
 */
export const takeStateChanges = async (tx: Tx, now: Date): Promise<DueChange[]> => {
  const at = sql`${now.toISOString()}::timestamptz`
  const lastMinute = sql`e.project_id = g.project_id and e.at > ${at} - interval '1 minute'`
  const { rows } = await tx.execute<DueChange>(sql`
    with due as materialized (
      select c.*, d.project_id, d.name, d.serial_number, d.last_seen_at,
        case c.kind when 'health' then d.health_status else d.contact end as state,
        d.deleted_at is null and d.lifecycle = 'active' as active
      from ${deviceStateChanges} c inner join ${devices} d on d.id = c.device_id
      where c.due_at <= ${at} for update of c skip locked
    ),
    ranked as (
      select *, row_number() over (partition by project_id, type order by due_at, device_id) as place
      from (
        select *, case kind when 'health' then 'device.health_changed' else 'device.' || state end as type
        from due where active and state <> was
      ) typed
    ),
    budgets as (
      select g.*, ${eventsPerMinute} - (select count(*) from ${events} e where ${lastMinute} and e.type = g.type) as single,
        exists (select from ${events} e where ${lastMinute} and e.type = g.type || '.many') as summed
      from (select distinct project_id, type from ranked) g
    ),
    taken as (
      select *, place > single as extra, count(*) over (partition by project_id, type, place > single)::int as n
      from ranked inner join budgets using (project_id, type) where place <= single or not summed
    ),
    gone as (
      delete from ${deviceStateChanges} c using due
      where c.device_id = due.device_id and c.kind = due.kind
        and (not due.active or due.state = due.was or (due.device_id, due.kind) in (select device_id, kind from taken))
    )
    select project_id as "projectId", type, device_id as id, name, serial_number as "serialNumber", last_seen_at as "lastSeenAt",
      was, state, extra, n
    from taken where not extra or place <= greatest(single, 0) + ${sampleSize} order by project_id, type, place`)
  return rows
}
