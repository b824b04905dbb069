import { eq, inArray } from 'drizzle-orm'
import type { Infer } from 'superstruct'
import type { Device, NewDevice } from '../../../contract/devices'
import { devices, deviceTags } from '../schema/devices'
import { tags } from '../schema/tags'
import type { Tx } from '../../core/database/tx'
import { newRow } from '../../core/database/row'
import { notFound } from '../../core/http/refuse'
import { listKeyAlgorithms } from '../keys/repository'
import { getProjectSettings } from '../../accounts/projects/plan-and-settings'
import { type DeviceJsonRow, deviceToJson } from './to-json'

/** The tags of some devices, by device, in the order of their names. */
export const tagsOf = async (tx: Tx, deviceIds: readonly string[]): Promise<Map<string, Device['tags']>> => {
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

/** Rows of one project as JSON. */
export const devicesToJson = async (tx: Tx, projectId: string, rows: readonly DeviceJsonRow[], now: Date): Promise<Device[]> => {
  const { polling_interval_s: pollS } = await getProjectSettings(tx, projectId)
  const tagged = await tagsOf(
    tx,
    rows.map(({ id }) => id),
  )
  const algorithms = await listKeyAlgorithms(tx, projectId)
  return rows.map((row) => deviceToJson(row, { pollS, now, tags: tagged.get(row.id) ?? [], algorithms }))
}

type Wanted = { lock?: boolean; deleted?: boolean }

/** One device; 404 if it was deleted (or, with `deleted`, if it was not). `lock` for changes. */
export const rowById = async (tx: Tx, id: string, { lock = false, deleted = false }: Wanted = {}): Promise<DeviceJsonRow> => {
  const query = tx.select().from(devices).where(eq(devices.id, id))
  const [row] = await (lock ? query.for('update') : query)
  return row && (row.deletedAt !== null) === deleted ? row : notFound()
}

export const deviceById = async (tx: Tx, id: string, now: Date, wanted: Wanted = {}): Promise<Device> => {
  const row = await rowById(tx, id, wanted)
  const [device] = await devicesToJson(tx, row.projectId, [row], now)
  return device ?? notFound()
}

export const insertDevice = async (tx: Tx, projectId: string, body: Infer<typeof NewDevice>, now: Date): Promise<string> => {
  const { name, serial_number: serialNumber = null, hardware_model: hardwareModel, metadata = {} } = body
  const row = {
    ...newRow(now),
    projectId,
    name,
    serialNumber,
    hardwareModel,
    metadata,
    lifecycle: 'active' as const,
    enrollment: 'pre_enrolled' as const,
  }
  await tx.insert(devices).values(row)
  return row.id
}
