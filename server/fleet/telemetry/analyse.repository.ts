import { sql } from 'drizzle-orm'
import type { Database } from '../../core/database/open'

/** Updates the planner's statistics after a bulk import; autovacuum would need a minute or two. */
export const analyse = async (db: Database): Promise<void> => {
  for (const table of ['devices', 'device_tags', 'latest_metrics', 'fleet_metrics', 'group_metrics'])
    await db.execute(sql`analyze ${sql.identifier(table)}`)
}
