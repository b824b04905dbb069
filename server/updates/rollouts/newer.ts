import { and, asc, count, desc, eq, gt, inArray, isNull, lte, ne, or, sql } from 'drizzle-orm'
import type { RolloutPreview, Target } from '../../../contract/rollout-plans'
import { devices } from '../../fleet/schema/devices'
import type { Tx } from '../../core/database/tx'
import type { ReleaseRow } from '../releases/transitions'
import { downgradeRefusal } from './checks'
import { returnListsOf } from './facts-of'
import { targeted } from '../../fleet/devices/target.repository'

type Newer = RolloutPreview['newer'][number]
type Asked = { target: Target; allowsDowngrade: boolean }

/** Devices that pass the checks before `version_newer` and run a newer version: excluded by this check alone. */
const leftOut = ({ projectId, id, version, hardwareModels }: ReleaseRow, target: Target, now: Date) =>
  and(
    targeted(projectId, target),
    eq(devices.lifecycle, 'active'),
    eq(devices.updatesEnabled, true),
    or(isNull(devices.updatesPausedUntil), lte(devices.updatesPausedUntil, now)),
    or(isNull(devices.quarantineUntil), lte(devices.quarantineUntil, now), ne(devices.quarantineReleaseId, id)),
    inArray(devices.hardwareModel, hardwareModels),
    gt(devices.installedVersion, version),
  )

/** What newer devices of a target run, and which permission is missing to downgrade them to this release. */
export const newerOf = async (tx: Tx, release: ReleaseRow, { target, allowsDowngrade }: Asked, now: Date): Promise<Newer[]> => {
  const named = sql`json_build_object('id', ${devices.id}, 'name', ${devices.name})`
  const rows = await tx
    .select({
      installedReleaseId: devices.installedReleaseId,
      version: sql<number>`${devices.installedVersion}`.mapWith(Number),
      display_version: devices.installedDisplayVersion,
      count: count(),
      sample: sql<Newer['sample']>`to_json((array_agg(${named} order by lower(${devices.name}), ${devices.id}))[1:5])`,
    })
    .from(devices)
    .where(leftOut(release, target, now))
    .groupBy(devices.installedReleaseId, devices.installedVersion, devices.installedDisplayVersion)
    .orderBy(desc(count()), asc(devices.installedVersion))
  const lists = await returnListsOf(tx, rows)
  return rows.flatMap(({ installedReleaseId: releaseId, ...group }): Newer[] => {
    const mayReturnTo = (releaseId === null ? null : lists.get(releaseId)) ?? null
    const refusal = downgradeRefusal({ releaseId, version: group.version, mayReturnTo }, release)
    if (refusal === null && allowsDowngrade) return []
    return [{ ...group, reason: refusal ?? 'rollout' }]
  })
}
