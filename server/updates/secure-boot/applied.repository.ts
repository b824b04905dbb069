import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import { countValues } from '../../fleet/counts/repository'
import type { DeviceRow } from '../../fleet/devices/repository'
import type { Tx } from '../../core/database/tx'
import { devices } from '../../fleet/schema/devices'
import { secureBootBundles as bundles } from '../schema/secure-boot'

export type Applied = { devices: number; closed: number }

/** Devices that report these bundles, and those of them whose part is closed. */
export const countApplied = async (tx: Tx, projectId: string, ids: readonly string[]): Promise<Map<string, Applied>> => {
  const counted = await countValues(tx, projectId, 'bundle')
  const applied = ids.map((id) => {
    const closed = counted.get(`${id} closed`) ?? 0
    return [id, { devices: closed + (counted.get(id) ?? 0), closed }] as const
  })
  return new Map(applied.filter(([, { devices: n }]) => n > 0))
}

/** The first devices that report a bundle, by name, with their reports. */
export const listAppliedDevices = (tx: Tx, bundleId: string, limit: number) =>
  tx
    .select({
      id: devices.id,
      name: devices.name,
      hardwareModel: devices.hardwareModel,
      secureBootState: devices.secureBootState,
      rollbackVersion: devices.rollbackVersion,
      secureBootBundleId: devices.secureBootBundleId,
      secureBootKeyHash: devices.secureBootKeyHash,
      fuseWords: devices.fuseWords,
      lastSeenAt: devices.lastSeenAt,
    })
    .from(devices)
    .innerJoin(bundles, and(eq(bundles.id, devices.secureBootBundleId), eq(bundles.projectId, devices.projectId)))
    .where(and(eq(bundles.id, bundleId), isNull(devices.deletedAt)))
    .orderBy(asc(sql`lower(${devices.name})`), asc(devices.id))
    .limit(limit)

/** Undefined also for a device of another project, and for a deleted one. */
export const findDeviceOfProject = async (tx: Tx, projectId: string, id: string): Promise<DeviceRow | undefined> => {
  const own = and(eq(devices.id, id), eq(devices.projectId, projectId), isNull(devices.deletedAt))
  const [row] = await tx.select().from(devices).where(own)
  return row
}
