import { and, eq, ilike, inArray, isNull, not, or, type SQL, sql } from 'drizzle-orm'
import type { Target } from '../../../contract/rollout-plans'
import { containing } from '../../core/http/paging'
import { devices, deviceTags } from '../schema/devices'
import { tags } from '../schema/tags'

const some = <T>(list: readonly T[] | undefined): list is readonly [T, ...T[]] => list !== undefined && list.length > 0

/** Text in the name or serial number. */
export const nameContains = (text: string): SQL | undefined => {
  const pattern = containing(text)
  return or(ilike(devices.name, pattern), ilike(devices.serialNumber, pattern))
}

const tagged = (projectId: string, names: readonly string[], least: number): SQL => sql`(
  select count(*) from ${deviceTags} inner join ${tags} on ${tags.id} = ${deviceTags.tagId}
  where ${deviceTags.deviceId} = ${devices.id} and ${tags.projectId} = ${projectId} and ${inArray(tags.name, [...names])}
) >= ${least}`

/** Named devices, and those to which all the other fields apply; never those with one of `tags_none`. */
export const targeted = (projectId: string, target: Target): SQL | undefined => {
  const { everything, device_ids, tags_all, tags_any, tags_none, models, versions, query } = target
  const matching = and(
    some(tags_all) ? tagged(projectId, [...new Set(tags_all)], new Set(tags_all).size) : undefined,
    some(tags_any) ? tagged(projectId, tags_any, 1) : undefined,
    some(models) ? inArray(devices.hardwareModel, [...models]) : undefined,
    some(versions) ? inArray(devices.installedVersion, [...versions]) : undefined,
    query === undefined ? undefined : nameContains(query),
  )
  const named = some(device_ids) ? sql`${devices.id} = any(${sql.param([...device_ids])}::text[])` : undefined
  const chosen = everything ? undefined : matching && named ? sql`(${matching} or ${named})` : (matching ?? named ?? sql`false`)
  const spared = some(tags_none) ? not(tagged(projectId, tags_none, 1)) : undefined
  return and(eq(devices.projectId, projectId), isNull(devices.deletedAt), chosen, spared)
}
