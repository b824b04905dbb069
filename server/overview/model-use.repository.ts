import { and, arrayOverlaps, count, eq, sql } from 'drizzle-orm'
import type { CountModelUse } from '../accounts/projects/hardware-models'
import { countValues } from '../fleet/counts/repository'
import { releases } from '../updates/schema/releases'

/** The devices and releases of a project that name these models. */
export const countModelUse: CountModelUse = async (tx, projectId, models) => {
  const listed = [...models]
  const byDevice = await countValues(tx, projectId, 'model')
  const named = tx
    .select({ model: sql<string>`unnest(${releases.hardwareModels})`.as('model') })
    .from(releases)
    .where(and(eq(releases.projectId, projectId), arrayOverlaps(releases.hardwareModels, listed)))
    .as('named')
  const byRelease = await tx.select({ model: named.model, n: count() }).from(named).groupBy(named.model)
  const releasesOf = (model: string) => byRelease.find((row) => row.model === model)?.n ?? 0
  return listed
    .map((model) => ({ model, devices: byDevice.get(model) ?? 0, releases: releasesOf(model) }))
    .filter((use) => use.devices + use.releases > 0)
}
