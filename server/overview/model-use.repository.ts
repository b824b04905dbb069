import { and, arrayOverlaps, count, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { CountModelUse } from '../accounts/projects/hardware-models'
import { devices } from '../fleet/schema/devices'
import { releases } from '../updates/schema/releases'

/** The devices and releases of a project that name these models. */
export const countModelUse: CountModelUse = async (tx, projectId, models) => {
  const listed = [...models]
  const byDevice = await tx
    .select({ model: devices.hardwareModel, n: count() })
    .from(devices)
    .where(and(eq(devices.projectId, projectId), inArray(devices.hardwareModel, listed), isNull(devices.deletedAt)))
    .groupBy(devices.hardwareModel)
  const named = tx
    .select({ model: sql<string>`unnest(${releases.hardwareModels})`.as('model') })
    .from(releases)
    .where(and(eq(releases.projectId, projectId), arrayOverlaps(releases.hardwareModels, listed)))
    .as('named')
  const byRelease = await tx.select({ model: named.model, n: count() }).from(named).groupBy(named.model)
  const of = (rows: typeof byDevice, model: string) => rows.find((row) => row.model === model)?.n ?? 0
  return listed
    .map((model) => ({ model, devices: of(byDevice, model), releases: of(byRelease, model) }))
    .filter((use) => use.devices + use.releases > 0)
}
