import { and, asc, count, desc, eq, gt, inArray, isNull, lte, ne, or, sql } from 'drizzle-orm'
import type { RolloutPreview, Target } from '../../../../contract/updates/rollout-plans'
import type { Tx } from '../../../core/database/tx'
import { devices } from '../../../fleet/schema/devices'
import type { ReleaseRow } from '../../releases/repository'
import { targetedByRollout } from './target.repository'

/** Devices that pass the checks before `version_newer` and run a newer version: excluded by this check alone. */
const leftOut = ({ projectId, id, version, hardwareModels }: ReleaseRow, target: Target, now: Date) =>
  and(
    targetedByRollout(projectId, target),
    eq(devices.lifecycle, 'active'),
    eq(devices.updatesEnabled, true),
    or(isNull(devices.quarantineUntil), lte(devices.quarantineUntil, now), ne(devices.quarantineReleaseId, id)),
    inArray(devices.hardwareModel, hardwareModels),
    gt(devices.installedVersion, version),
  )

/** What the newer devices of a target run. */
export const countNewer = (tx: Tx, release: ReleaseRow, target: Target, now: Date) => {
  const named = sql`json_build_object('id', ${devices.id}, 'name', ${devices.name})`
  return tx
    .select({
      installedReleaseId: devices.installedReleaseId,
      version: sql<number>`${devices.installedVersion}`.mapWith(Number),
      display_version: devices.installedDisplayVersion,
      count: count(),
      sample: sql<
        RolloutPreview['newer'][number]['sample']
      >`to_json((array_agg(${named} order by lower(${devices.name}), ${devices.id}))[1:5])`,
    })
    .from(devices)
    .where(leftOut(release, target, now))
    .groupBy(devices.installedReleaseId, devices.installedVersion, devices.installedDisplayVersion)
    .orderBy(desc(count()), asc(devices.installedVersion))
}
