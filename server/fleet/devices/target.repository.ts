import { and, eq, inArray, isNull, not, type SQL, sql } from 'drizzle-orm'
import type { Target } from '../../../contract/rollout-plans'
import { devices, deviceTags } from '../schema/devices'
import { tags } from '../schema/tags'
import { some } from './target'

const tagged = (projectId: string, names: readonly string[], least: number): SQL => sql`(
  select count(*) from ${deviceTags} inner join ${tags} on ${tags.id} = ${deviceTags.tagId}
  where ${deviceTags.deviceId} = ${devices.id} and ${tags.projectId} = ${projectId} and ${inArray(tags.name, [...names])}
) >= ${least}`

/** Named devices, and those with all and any of the tags; never those with one of `tags_none`. */
export const targeted = (projectId: string, target: Target): SQL | undefined => {
  const { everything, device_ids, tags_all, tags_any, tags_none } = target
  const byTags = and(
    some(tags_all) ? tagged(projectId, [...new Set(tags_all)], new Set(tags_all).size) : undefined,
    some(tags_any) ? tagged(projectId, tags_any, 1) : undefined,
  )
  const named = some(device_ids) ? sql`${devices.id} = any(${sql.param([...device_ids])}::text[])` : undefined
  const chosen = everything ? undefined : byTags && named ? sql`(${byTags} or ${named})` : (byTags ?? named ?? sql`false`)
  const spared = some(tags_none) ? not(tagged(projectId, tags_none, 1)) : undefined
  return and(eq(devices.projectId, projectId), isNull(devices.deletedAt), chosen, spared)
}
