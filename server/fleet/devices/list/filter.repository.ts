import { and, eq, gte, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import { deletedDeviceDays, type devices as endpoint } from '../../../../contract/fleet/devices'
import { listLimit } from '../../../../contract/core/limits'
import type { QueryOf } from '../../../../contract/core/endpoint'
import { connectivityRank, healthRank, updateRank } from '../../schema/device-values'
import { devices, deviceTags } from '../../schema/devices'
import { tags } from '../../schema/tags'
import { daysBefore } from '../../../core/days'
import type { ProjectRead } from '../../../core/http/scope'
import { findDevicesNeedingAttention, needsAttention } from './attention.repository'
import { type Computed, computedOfGroups, isInUse, versionSql } from '../state/computed.repository'
import { isFlapping } from '../state/flaps.repository'
import { nameContains } from './target.repository'
import { findDevicesWithTerms, havingTerms } from './term-search.repository'
import { findDevicesWithText, isWithText } from './text-search.repository'
import { contactPollS } from '../../../accounts/projects/settings'

export type DeviceQuery = QueryOf<typeof endpoint>

/**
 * What the values of a filter stand for, looked up first: with the ids of tags, and not their names, the planner knows how many
 * devices have them. `tagIds`: of the tags that the project has. `matches`, `withTerms` and `needing`: the devices with the text,
 * with the attributes and the key, and those that need attention; null if they are too many to name.
 */
export type Resolved = {
  tagIds?: string[]
  matches?: string[] | null
  withTerms?: string[] | null
  needing?: string[] | null
}

const findNeeding = async (
  { tx, project, now }: ProjectRead,
  { attention, limit = listLimit.default }: DeviceQuery,
): Promise<string[] | null> => {
  if (attention === undefined || attention === 'flapping') return null
  const pollS = contactPollS(project.settings, now)
  return findDevicesNeedingAttention({ tx, projectId: project.id, pollS, now }, attention, limit)
}

const findTags = async ({ tx, project }: ProjectRead, names: readonly string[]): Promise<string[]> => {
  const found = await tx
    .select({ id: tags.id })
    .from(tags)
    .where(and(eq(tags.projectId, project.id), inArray(tags.name, [...names])))
  return found.map(({ id }) => id)
}

export const resolveFilter = async (read: ProjectRead, query: DeviceQuery): Promise<Resolved> => {
  const { tag, q, deleted } = query
  const isListed = deleted === undefined
  return {
    ...(tag !== undefined && { tagIds: await findTags(read, tag) }),
    ...(q && isListed && { matches: await findDevicesWithText(read.tx, read.project.id, q) }),
    ...(isListed && { withTerms: await findDevicesWithTerms(read.tx, read.project.id, query) }),
    ...(isListed && { needing: await findNeeding(read, query) }),
  }
}

// Deleted devices have no row of texts. Of the others so many have the text that the list reads in its own order.
const hasText = (q: string, isDeleted: boolean) => (isDeleted ? nameContains(q) : isWithText(q))

const taggings = (ids: SQL) =>
  sql`select from ${deviceTags} where ${deviceTags.deviceId} = ${devices.id} and ${deviceTags.tagId} = ${ids}`
const hasTag = (ids: SQL) => sql`exists (${taggings(ids)})`
const anyOf = (ids: readonly string[]) => (ids.length === 1 ? sql`${ids[0]}` : sql`any(${sql.param([...ids])}::text[])`)

const tagged = ({ tag = [], tag_mode: mode = 'any' }: DeviceQuery, ids: readonly string[]): SQL | undefined => {
  // The offset keeps it a look into the index for each device. As a join it compares all devices with all taggings where the planner
  // does not know yet how many devices have just been tagged.
  if (mode === 'none') return ids.length === 0 ? undefined : sql`not exists (${taggings(anyOf(ids))} offset 0)`
  if (mode === 'any') return ids.length === 0 ? sql`false` : hasTag(anyOf(ids))
  // A tag that the project does not have is on no device.
  return ids.length < new Set(tag).size ? sql`false` : and(...ids.map((id) => hasTag(sql`${id}`)))
}

const among = (ids: readonly string[]) => sql`${devices.id} = any(${sql.param([...ids])}::text[])`

/** As the index has them, where a device without a version counts as 0. */
const versionsBetween = ({ version_lt: below, version_gt: above }: DeviceQuery): SQL[] => {
  if (below === undefined && above === undefined) return []
  const version = sql`coalesce(${devices.installedVersion}, 0)`
  return [
    sql`${devices.installedVersion} is not null`,
    ...(below === undefined ? [] : [sql`${version} < ${below}`]),
    ...(above === undefined ? [] : [sql`${version} > ${above}`]),
  ]
}

/** States are those of devices in use: others have none that counts. */
const isByState = (query: DeviceQuery) =>
  [query.connectivity, query.health, query.update, query.version, query.version_lt, query.version_gt].some(
    (value) => value !== undefined,
  )

const ofValues = (query: DeviceQuery, projectId: string, { connectivity, health, update }: Computed) =>
  and(
    query.lifecycle ? eq(devices.lifecycle, query.lifecycle) : isByState(query) ? isInUse : undefined,
    query.version === undefined ? undefined : sql`${versionSql} = ${query.version}`,
    ...versionsBetween(query),
    query.release_id === undefined ? undefined : eq(devices.installedReleaseId, query.release_id),
    // By rank, as the indexes have them.
    query.connectivity && sql`${connectivityRank(connectivity)} = ${connectivityRank(sql`${query.connectivity}::text`)}`,
    query.health && sql`${healthRank(health)} = ${healthRank(sql`${query.health}::text`)}`,
    query.attention === undefined || query.attention === 'flapping'
      ? undefined
      : needsAttention(query.attention, connectivity, sql`${projectId}`),
    query.update && sql`${updateRank(update)} = ${updateRank(sql`${query.update}::text`)}`,
  )

const inGroups = new Set([
  'connectivity',
  'lifecycle',
  'health',
  'update',
  'version',
  'version_lt',
  'version_gt',
  'release_id',
  'attention',
])
const ofPage = new Set(['sort', 'limit', 'cursor', 'tag_mode'])

/** The conditions of a device list on `deviceGroups`; null if it names more than they contain. `isWhole`: it names nothing. */
export const filteredGroups = (query: DeviceQuery, projectId: string): { where: SQL; isWhole: boolean } | null => {
  const isMore = ([name, value]: [string, unknown]) =>
    value !== undefined && value !== '' && !inGroups.has(name) && !ofPage.has(name)
  if (query.attention === 'flapping' || Object.entries(query).some(isMore)) return null
  const where = ofValues(query, projectId, computedOfGroups)
  return { where: where ?? sql`true`, isWhole: where === undefined }
}

/** By the index of devices that were quarantined and have not been cleared. */
const quarantined = (is: boolean, now: Date) => {
  const at = sql`${now.toISOString()}::timestamptz`
  const until = devices.quarantineUntil
  return is ? sql`${until} is not null and ${until} > ${at}` : sql`(${until} is null or ${until} <= ${at})`
}

/** The conditions of a device list. */
export const filtered = (
  { project, now }: Omit<ProjectRead, 'tx'>,
  query: DeviceQuery,
  { tagIds, matches, withTerms, needing }: Resolved,
  values: Computed,
): SQL => {
  const { last_seen_before: before } = query
  const all = and(
    eq(devices.projectId, project.id),
    query.deleted === undefined
      ? isNull(devices.deletedAt)
      : and(gte(devices.deletedAt, daysBefore(now, deletedDeviceDays)), isNull(devices.movedToId)),
    query.hardware_model === undefined ? undefined : eq(devices.hardwareModel, query.hardware_model),
    query.import_id === undefined ? undefined : eq(devices.importId, query.import_id),
    ofValues(query, project.id, values),
    query.quarantined === undefined ? undefined : quarantined(query.quarantined, now),
    before === undefined ? undefined : sql`coalesce(${devices.lastSeenAt}, 'epoch'::timestamptz) < ${before}`,
    tagIds && tagged(query, tagIds),
    matches ? among(matches) : query.q ? hasText(query.q, query.deleted !== undefined) : undefined,
    withTerms ? among(withTerms) : undefined,
    needing ? among(needing) : undefined,
    query.attention === 'flapping' ? isFlapping(project.id, now) : undefined,
    ...havingTerms(query),
  )
  return all ?? sql`true`
}
