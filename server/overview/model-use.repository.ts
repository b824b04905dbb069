import { and, arrayOverlaps, count, eq, inArray, sql } from 'drizzle-orm'
import type { CountModelUse } from '../accounts/projects/hardware-models'
import { countValues } from '../fleet/counts/repository'
import { isActiveToken } from '../fleet/enrollment/repository'
import { enrollmentTokens } from '../fleet/schema/devices'
import { releases } from '../updates/schema/releases'

/** The devices, releases and active enrollment tokens of a project that name these models. */
export const countModelUse: CountModelUse = async (tx, projectId, models, now) => {
  const listed = [...models]
  const byDevice = await countValues(tx, projectId, 'model')
  const named = tx
    .select({ model: sql<string>`unnest(${releases.hardwareModels})`.as('model') })
    .from(releases)
    .where(and(eq(releases.projectId, projectId), arrayOverlaps(releases.hardwareModels, listed)))
    .as('named')
  const byRelease = await tx.select({ model: named.model, n: count() }).from(named).groupBy(named.model)
  const tokens = await tx
    .select({ model: enrollmentTokens.hardwareModel, n: count() })
    .from(enrollmentTokens)
    .where(and(eq(enrollmentTokens.projectId, projectId), inArray(enrollmentTokens.hardwareModel, listed), isActiveToken(now)))
    .groupBy(enrollmentTokens.hardwareModel)
  const tokensOf = (model: string) => tokens.find((row) => row.model === model)?.n ?? 0
  const releasesOf = (model: string) => byRelease.find((row) => row.model === model)?.n ?? 0
  return listed
    .map((model) => ({ model, devices: byDevice.get(model) ?? 0, releases: releasesOf(model), tokens: tokensOf(model) }))
    .filter((use) => use.devices + use.releases + use.tokens > 0)
}
