import { and, desc, eq, isNotNull, isNull, ne, sql } from 'drizzle-orm'
import type { Tx } from '../../core/database/tx'
import { countValues } from '../counts/repository'
import { newRow, rowUpdate } from '../../core/database/row'
import { changeInSlices } from '../devices/repository'
import { deviceImports, devices, deviceTags, deviceTokens, formerImportedTokens } from '../schema/devices'

type DeviceImportRow = typeof deviceImports.$inferSelect
type NewImport = Omit<typeof deviceImports.$inferInsert, keyof ReturnType<typeof newRow>>

/** One device of an import, in the form of the insert below. */
export type NewImportedDevice = {
  id: string
  name: string
  serial_number: string
  hardware_model: string
  attributes: Record<string, unknown>
  attributes_hash: string | null
  token: { hash: string; prefix: string } | null
  tag_ids: string[]
}

const texts = (values: readonly string[]) => sql`${sql.param(values)}::text[]`

/** The devices of the project with these serial numbers. */
export const listDevicesBySerial = (tx: Tx, projectId: string, serials: readonly string[]) =>
  tx
    .select({
      id: devices.id,
      serialNumber: devices.serialNumber,
      protocol: devices.protocol,
      hardwareModel: devices.hardwareModel,
      lifecycle: devices.lifecycle,
    })
    .from(devices)
    .where(
      and(eq(devices.projectId, projectId), isNull(devices.deletedAt), sql`${devices.serialNumber} = any(${texts(serials)})`),
    )

/** Which of these names, in lower case, are taken in the project. */
export const listTakenNames = async (tx: Tx, projectId: string, names: readonly string[]): Promise<Set<string>> => {
  const name = sql<string>`lower(${devices.name})`
  const rows = await tx
    .select({ name })
    .from(devices)
    .where(and(eq(devices.projectId, projectId), isNull(devices.deletedAt), sql`${name} = any(${texts(names)})`))
  return new Set(rows.map((row) => row.name))
}

/** The devices to which tokens belong, by hash; `isFree`: the device is a deleted one of this project. */
export const listTokenOwners = async (tx: Tx, projectId: string, hashes: readonly string[]) => {
  const rows = await tx
    .select({
      hash: deviceTokens.tokenHash,
      deviceId: deviceTokens.deviceId,
      isFree: sql<boolean>`${devices.deletedAt} is not null and ${devices.projectId} = ${projectId}`,
    })
    .from(deviceTokens)
    .innerJoin(devices, eq(devices.id, deviceTokens.deviceId))
    .where(sql`${deviceTokens.tokenHash} = any(${texts(hashes)})`)
  return new Map(rows.map((row) => [row.hash, row]))
}

/** Those of these tokens that devices of other projects had: they belong to these projects as long as they exist. */
export const listTokensOfOthers = async (tx: Tx, projectId: string, hashes: readonly string[]): Promise<Set<string>> => {
  const rows = await tx
    .select({ hash: formerImportedTokens.tokenHash })
    .from(formerImportedTokens)
    .where(and(ne(formerImportedTokens.projectId, projectId), sql`${formerImportedTokens.tokenHash} = any(${texts(hashes)})`))
  return new Set(rows.map(({ hash }) => hash))
}

export const insertDeviceImport = async (tx: Tx, made: NewImport, now: Date): Promise<string> => {
  const row = { ...newRow(now), ...made }
  await tx.insert(deviceImports).values(row)
  return row.id
}

/** Inserts a batch of devices with their tokens and tags in four statements. */
export const insertImportedDevices = async (
  tx: Tx,
  { projectId, importId, batch, now }: { projectId: string; importId: string; batch: readonly NewImportedDevice[]; now: Date },
): Promise<void> => {
  const rows = sql`jsonb_to_recordset(${JSON.stringify(batch)}::jsonb) as row (
    id text, name text, serial_number text, hardware_model text, attributes jsonb, attributes_hash text, token jsonb, tag_ids jsonb)`
  const time = now.toISOString()
  await tx.execute(sql`
    insert into ${devices} (
      id, created_at, updated_at, revision, project_id, name, serial_number, hardware_model, protocol, lifecycle, enrollment,
      attributes, attributes_hash, import_id
    )
    select id, ${time}, ${time}, 1, ${projectId}, name, serial_number, hardware_model, 'ddi', 'active', 'imported',
      attributes, attributes_hash, ${importId}
    from ${rows}`)
  // Of devices that were deleted: an import that was undone can be repeated. A token that another import has taken since the check is
  // refused by the insert.
  await tx.execute(sql`
    delete from ${deviceTokens} using ${rows}, ${devices}
    where ${deviceTokens.tokenHash} = row.token ->> 'hash' and ${devices.id} = ${deviceTokens.deviceId}
      and ${devices.deletedAt} is not null and ${devices.projectId} = ${projectId}`)
  await tx.execute(sql`
    insert into ${deviceTokens} (token_hash, project_id, device_id, prefix, created_at)
    select token ->> 'hash', ${projectId}, id, token ->> 'prefix', ${time}
    from ${rows} where jsonb_typeof(token) = 'object'`)
  await tx.execute(sql`
    insert into ${deviceTags} (project_id, device_id, tag_id)
    select ${projectId}, id, tag_id from ${rows}, jsonb_array_elements_text(tag_ids) as tag_id`)
}

/** The last imports, with the devices that are left of each and how many of those have contacted the server. */
export const listDeviceImports = async (tx: Tx, projectId: string, most: number) => {
  const rows = await tx
    .select()
    .from(deviceImports)
    .where(eq(deviceImports.projectId, projectId))
    .orderBy(desc(deviceImports.id))
    .limit(most)
  const counted = await countValues(tx, projectId, 'import')
  return rows.map((row) => {
    const seen = counted.get(`${row.id} seen`) ?? 0
    return { row, devices: seen + (counted.get(row.id) ?? 0), seen }
  })
}

/** Locked, so that it is undone once. */
export const lockDeviceImport = async (tx: Tx, projectId: string, id: string): Promise<DeviceImportRow | undefined> => {
  const [row] = await tx
    .select()
    .from(deviceImports)
    .where(and(eq(deviceImports.id, id), eq(deviceImports.projectId, projectId)))
    .for('update')
  return row
}

/** Deletes the devices of an import that have never contacted the server. */
export const deleteUnseenDevices = async (tx: Tx, importId: string, now: Date): Promise<number> => {
  const unseen = and(
    eq(devices.importId, importId),
    isNotNull(devices.importId),
    isNull(devices.deletedAt),
    isNull(devices.lastSeenAt),
  )
  return changeInSlices(tx, unseen, (slice) =>
    tx
      .update(devices)
      .set({ deletedAt: now, ...rowUpdate(now) })
      .where(slice),
  )
}
