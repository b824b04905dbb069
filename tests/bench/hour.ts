import { sql } from 'drizzle-orm'
import type { Database } from '../../server/core/database/open'

/** A point a minute of each metric for each device, in an hour that is over and not computed yet. */
export const insertHour = async (db: Database, { projectId, names }: { projectId: string; names: readonly string[] }) => {
  const hour = sql`date_trunc('hour', now() - interval '3 hours', 'UTC')`
  for (const name of names)
    await db.execute(sql`
      insert into metric_points (project_id, device_id, name, at, value)
      select ${projectId}, id, ${name}, ${hour} + n * interval '1 minute', n
      from devices, generate_series(0, 59) as n where project_id = ${projectId} and name like 'agent-%'`)
  await db.execute(sql`
    insert into stale_hours (at, project_id, device_id)
    select ${hour}, ${projectId}, id from devices where project_id = ${projectId} and name like 'agent-%'`)
}
