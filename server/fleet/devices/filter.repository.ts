import { and, eq, gte, isNull, type SQL, sql } from 'drizzle-orm'
import { deletedDeviceDays, type devices as endpoint } from '../../../contract/devices'
import type { QueryOf } from '../../../contract/endpoint'
import { connectivityRank, healthRank, updateRank } from '../schema/device-values'
import { devices, deviceTags } from '../schema/devices'
import { tags } from '../schema/tags'
import { daysBefore } from '../../core/days'
import type { ProjectRead } from '../../core/http/scope'
import { type Computed, computedOfGroups, versionSql } from './computed.repository'
import { nameContains } from './target.repository'
import { findDevicesWithText } from './text-search.repository'

export type DeviceQuery = QueryOf<typeof endpoint>

/**
 * What the values of a filter stand for, looked up first: with the id of a tag, and not its name, the planner knows how many devices
 * have it. `tagId`: null if the project has no such tag. `matches`: the devices with the text, null if they are too many to name.
 */
export type Resolved = { tagId?: string | null; matches?: string[] | null }

const findTag = async ({ tx, project }: ProjectRead, name: string): Promise<string | null> => {
  const [found] = await tx
    .select({ id: tags.id })
    .from(tags)
    .where(and(eq(tags.projectId, project.id), eq(tags.name, name)))
  return found?.id ?? null
}

export const resolveFilter = async (read: ProjectRead, { tag, q, deleted }: DeviceQuery): Promise<Resolved> => ({
  ...(tag !== undefined && { tagId: await findTag(read, tag) }),
  ...(q && deleted === undefined && { matches: await findDevicesWithText(read.tx, read.project.id, q) }),
})

const tagged = (tagId: string) =>
  sql`exists (select from ${deviceTags} where ${deviceTags.deviceId} = ${devices.id} and ${deviceTags.tagId} = ${tagId})`

const among = (ids: readonly string[]) => sql`${devices.id} = any(${sql.param([...ids])}::text[])`

const ofValues = (query: DeviceQuery, { connectivity, health, update }: Computed) =>
  and(
    query.lifecycle && eq(devices.lifecycle, query.lifecycle),
    query.version === undefined ? undefined : sql`${versionSql} = ${query.version}`,
    // By rank, as the indexes have them.
    query.connectivity && sql`${connectivityRank(connectivity)} = ${connectivityRank(sql`${query.connectivity}::text`)}`,
    query.health && sql`${healthRank(health)} = ${healthRank(sql`${query.health}::text`)}`,
    query.update && sql`${updateRank(update)} = ${updateRank(sql`${query.update}::text`)}`,
  )

/** The conditions of a device list on `deviceGroups`; null if it names more than they contain. `isWhole`: it names nothing. */
export const filteredGroups = (query: DeviceQuery): { where: SQL; isWhole: boolean } | null => {
  const { deleted, hardware_model, import_id, tag, q } = query
  if ([deleted, hardware_model, import_id, tag].some((value) => value !== undefined) || q) return null
  const where = ofValues(query, computedOfGroups)
  return { where: where ?? sql`true`, isWhole: where === undefined }
}

/** The conditions of a device list. */
export const filtered = (
  { project, now }: Omit<ProjectRead, 'tx'>,
  query: DeviceQuery,
  { tagId, matches }: Resolved,
  values: Computed,
): SQL => {
  const all = and(
    eq(devices.projectId, project.id),
    query.deleted === undefined
      ? isNull(devices.deletedAt)
      : and(gte(devices.deletedAt, daysBefore(now, deletedDeviceDays)), isNull(devices.movedToId)),
    query.hardware_model === undefined ? undefined : eq(devices.hardwareModel, query.hardware_model),
    query.import_id === undefined ? undefined : eq(devices.importId, query.import_id),
    ofValues(query, values),
    tagId === undefined ? undefined : tagId === null ? sql`false` : tagged(tagId),
    matches ? among(matches) : query.q ? nameContains(query.q) : undefined,
  )
  return all ?? sql`true`
}
