import { sql } from 'drizzle-orm'
import type { Tx } from '../../core/database/tx'
import type { DeviceRow } from './repository'

/** Those of the releases that the devices run which were revoked, with the reason. */
export const findRevokedReleases = async (
  tx: Tx,
  projectId: string,
  rows: readonly Pick<DeviceRow, 'installedReleaseId'>[],
): Promise<ReadonlyMap<string, string>> => {
  const ids = [...new Set(rows.flatMap(({ installedReleaseId }) => installedReleaseId ?? []))]
  if (ids.length === 0) return new Map()
  const { rows: found } = await tx.execute<{ id: string; reason: string }>(sql`
    select id, reason from revoked_releases(${projectId}) where id = any(${sql.param(ids)}::text[])`)
  return new Map(found.map(({ id, reason }) => [id, reason]))
}
