import { sql } from 'drizzle-orm'
import type { Tx } from '../../server/core/database/tx'
import type { TestApi } from './api'

type Many = { projectId: string; count: number; trustedKeys: string[]; model?: string; lifecycle?: 'active' | 'pending' }

// No statement may take longer than the server allows.
const atOnce = 2000

/** Devices created inside the database, tens of thousands in a second or two. Their ids ascend with their number. */
export const addManyDevices = async (
  { db, deps }: Pick<TestApi, 'deps'> & { db: Tx },
  { projectId, count, trustedKeys, model = 'gw', lifecycle = 'active' }: Many,
): Promise<void> => {
  const time = deps.clock().toISOString()
  for (let from = 1; from <= count; from += atOnce)
    await db.execute(sql`
      insert into devices (
        id, created_at, updated_at, revision, project_id, name, hardware_model, lifecycle, enrollment,
        installed_version, trusted_keys, polling_interval_s
      )
      select '01K' || upper(substr(md5(${projectId} || ${lifecycle}), 1, 13)) || lpad(n::text, 10, '0'), ${time}, ${time}, 1, ${projectId},
        ${lifecycle} || ' ' || lpad(n::text, 6, '0'), ${model}, ${lifecycle}, 'simulated', 1, ${sql.param(trustedKeys)}::text[], 60
      from generate_series(${from}::int, ${Math.min(count, from + atOnce - 1)}::int) as n`)
}
