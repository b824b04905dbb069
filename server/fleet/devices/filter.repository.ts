import { and, eq, exists, gte, isNull, type SQL, sql } from 'drizzle-orm'
import { deletedDeviceDays, type devices as endpoint } from '../../../contract/devices'
import type { QueryOf } from '../../../contract/endpoint'
import { devices, deviceTags } from '../schema/devices'
import { tags } from '../schema/tags'
import type { Tx } from '../../core/database/tx'
import { daysBefore } from '../../core/days'
import type { ProjectRead } from '../../core/http/scope'
import { type Computed, versionSql } from './computed.repository'
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

/** The conditions of a device list. */
export const filtered = (
  { tx, project, now }: ProjectRead,
  query: DeviceQuery,
  { connectivity, health, update }: Computed,
): SQL => {
  const all = and(
    eq(devices.projectId, project.id),
    query.deleted === undefined
      ? isNull(devices.deletedAt)
      : and(gte(devices.deletedAt, daysBefore(now, deletedDeviceDays)), isNull(devices.movedToId)),
    query.lifecycle && eq(devices.lifecycle, query.lifecycle),
    query.hardware_model === undefined ? undefined : eq(devices.hardwareModel, query.hardware_model),
    query.version === undefined ? undefined : sql`${versionSql} = ${query.version}`,
    query.import_id === undefined ? undefined : eq(devices.importId, query.import_id),
    query.connectivity && sql`(${connectivity}) = ${query.connectivity}`,
    query.health && sql`(${health}) = ${query.health}`,
    query.update && sql`(${update}) = ${query.update}`,
    query.tag === undefined ? undefined : tagged(tx, query.tag),
    query.q ? nameContains(query.q) : undefined,
  )
  return all ?? sql`true`
}
