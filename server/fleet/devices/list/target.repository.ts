import { and, eq, inArray, isNull, not, or, type SQL, sql } from 'drizzle-orm'
import type { Target } from '../../../../contract/updates/rollout-plans'
import { containsText } from '../../../core/database/fold-case'
import { devices, deviceTags } from '../../schema/devices'
import { tags } from '../../schema/tags'
import { isWithText } from './text-search.repository'

const some = <T>(list: readonly T[] | undefined): list is readonly [T, ...T[]] => list !== undefined && list.length > 0

/** Text in the name or serial number. */
export const nameContains = (text: string): SQL | undefined =>
  or(containsText(devices.name, text), containsText(devices.serialNumber, text))

/** As a join, so that the devices of a tag are found at once and not by a look-up for each device. */
const hasTag = (projectId: string, names: readonly string[]): SQL => sql`exists (
  select from ${deviceTags} inner join ${tags} on ${tags.id} = ${deviceTags.tagId}
  where ${deviceTags.deviceId} = ${devices.id} and ${tags.projectId} = ${projectId} and ${inArray(tags.name, [...names])}
)`

/**
 * Named devices, those for which `also` holds, and those to which all the other fields apply; never those with one of
 * `tags_none`.
 */
export const targeted = (projectId: string, target: Target, also?: SQL): SQL | undefined => {
  const { everything, device_ids, tags_all, tags_any, tags_none, models, versions, query } = target
  const matching = and(
    ...(tags_all ?? []).map((name) => hasTag(projectId, [name])),
    some(tags_any) ? hasTag(projectId, tags_any) : undefined,
    some(models) ? inArray(devices.hardwareModel, [...models]) : undefined,
    some(versions) ? inArray(devices.installedVersion, [...versions]) : undefined,
    query === undefined ? undefined : isWithText(query),
  )
  const named = or(some(device_ids) ? sql`${devices.id} = any(${sql.param([...device_ids])}::text[])` : undefined, also)
  const chosen = everything ? undefined : matching && named ? sql`(${matching} or ${named})` : (matching ?? named ?? sql`false`)
  const spared = some(tags_none) ? not(hasTag(projectId, tags_none)) : undefined
  return and(eq(devices.projectId, projectId), isNull(devices.deletedAt), chosen, spared)
}
