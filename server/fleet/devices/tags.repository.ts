import { eq, sql } from 'drizzle-orm'
import type { Device } from '../../../contract/fleet/devices'
import { deviceTags } from '../schema/devices'
import { tags } from '../schema/tags'
import type { Tx } from '../../core/database/tx'

type Owner = { projectId: string; deviceId: string }

/** The tags of some devices, by device, in the order of their names. */
export const listTagsOfDevices = async (tx: Tx, deviceIds: readonly string[]): Promise<Map<string, Device['tags']>> => {
  const found = new Map<string, Device['tags']>()
  if (deviceIds.length === 0) return found
  // The offset keeps it a look into the hash for each device: as a plain join it looks each of them up with each tag.
  const { rows } = await tx.execute<Device['tags'][number] & { device_id: string }>(sql`
    select listed.id as device_id, t.id, t.name, t.colour
    from unnest(${sql.param([...new Set(deviceIds)])}::text[]) as listed (id)
    cross join lateral (select tag_id from ${deviceTags} where device_id = listed.id offset 0) as tagging
    inner join ${tags} t on t.id = tagging.tag_id
    order by t.name`)
  for (const { device_id: id, ...tag } of rows) found.set(id, [...(found.get(id) ?? []), tag])
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
