import { eq, inArray, sql } from 'drizzle-orm'
import type { Device } from '../../../contract/devices'
import { deviceTags } from '../schema/devices'
import { tags } from '../schema/tags'
import type { Tx } from '../../core/database/tx'

type Owner = { projectId: string; deviceId: string }

/** The tags of some devices, by device, in the order of their names. */
export const listTagsOfDevices = async (tx: Tx, deviceIds: readonly string[]): Promise<Map<string, Device['tags']>> => {
  const found = new Map<string, Device['tags']>()
  if (deviceIds.length === 0) return found
  const rows = await tx
    .select({ deviceId: deviceTags.deviceId, id: tags.id, name: tags.name, colour: tags.colour })
    .from(deviceTags)
    .innerJoin(tags, eq(tags.id, deviceTags.tagId))
    .where(inArray(deviceTags.deviceId, [...deviceIds]))
    .orderBy(tags.name)
  for (const { deviceId, ...tag } of rows) found.set(deviceId, [...(found.get(deviceId) ?? []), tag])
  return found
}

/** Sets the tags of a device to exactly these. */
export const updateDeviceTags = async (
  tx: Tx,
  { projectId, deviceId }: Owner,
  wanted: readonly { id: string }[],
): Promise<void> => {
  await tx.delete(deviceTags).where(eq(deviceTags.deviceId, deviceId))
  if (wanted.length > 0) await tx.insert(deviceTags).values(wanted.map(({ id }) => ({ projectId, deviceId, tagId: id })))
}

/** Adds the tags with these names to a new device, as far as the project still has them. */
export const insertDeviceTags = async (tx: Tx, { projectId, deviceId }: Owner, names: readonly string[]): Promise<void> => {
  if (names.length === 0) return
  await tx.execute(sql`
    insert into ${deviceTags} (project_id, device_id, tag_id)
    select ${projectId}, ${deviceId}, ${tags.id} from ${tags}
    where ${tags.projectId} = ${projectId} and ${tags.name} = any(${sql.param(names)}::text[])`)
}
