import { and, eq, exists, gte, isNull, type SQL, sql } from 'drizzle-orm'
import { deletedDeviceDays, type devices as endpoint } from '../../../contract/devices'
import type { QueryOf } from '../../../contract/endpoint'
import { devices, deviceTags } from '../schema/devices'
import { tags } from '../schema/tags'
import type { Tx } from '../../core/database/tx'
import { daysBefore } from '../../core/days'
import type { ProjectRead } from '../../core/http/scope'
import { type Computed, computedOfGroups, versionSql } from './computed.repository'
import { nameContains } from './target.repository'

export type DeviceQuery = QueryOf<typeof endpoint>

const tagged = (tx: Tx, name: string) =>
  exists(
    tx
      .select({ one: sql`1` })
      .from(deviceTags)
      .innerJoin(tags, eq(tags.id, deviceTags.tagId))
      .where(and(eq(deviceTags.deviceId, devices.id), eq(tags.projectId, devices.projectId), eq(tags.name, name))),
  )

const ofValues = (query: DeviceQuery, { connectivity, health, update }: Computed) =>
  and(
    query.lifecycle && eq(devices.lifecycle, query.lifecycle),
    query.version === undefined ? undefined : sql`${versionSql} = ${query.version}`,
    query.connectivity && sql`(${connectivity}) = ${query.connectivity}`,
    query.health && sql`(${health}) = ${query.health}`,
    query.update && sql`(${update}) = ${query.update}`,
  )

/** The conditions of a device list on `deviceGroups`; null if it names more than they contain. `isWhole`: it names nothing. */
export const filteredGroups = (query: DeviceQuery): { where: SQL; isWhole: boolean } | null => {
  const { deleted, hardware_model, import_id, tag, q } = query
  if ([deleted, hardware_model, import_id, tag].some((value) => value !== undefined) || q) return null
  const where = ofValues(query, computedOfGroups)
  return { where: where ?? sql`true`, isWhole: where === undefined }
}

/** The conditions of a device list. */
export const filtered = ({ tx, project, now }: ProjectRead, query: DeviceQuery, values: Computed): SQL => {
  const all = and(
    eq(devices.projectId, project.id),
    query.deleted === undefined
      ? isNull(devices.deletedAt)
      : and(gte(devices.deletedAt, daysBefore(now, deletedDeviceDays)), isNull(devices.movedToId)),
    query.hardware_model === undefined ? undefined : eq(devices.hardwareModel, query.hardware_model),
    query.import_id === undefined ? undefined : eq(devices.importId, query.import_id),
    ofValues(query, values),
    query.tag === undefined ? undefined : tagged(tx, query.tag),
    query.q ? nameContains(query.q) : undefined,
  )
  return all ?? sql`true`
}
