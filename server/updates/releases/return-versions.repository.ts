import { and, arrayOverlaps, desc, eq, inArray, isNull, lt } from 'drizzle-orm'
import { union } from 'drizzle-orm/pg-core'
import { devices } from '../../fleet/schema/devices'
import { releases } from '../schema/releases'
import type { Tx } from '../../core/database/tx'
import { countValues } from '../../fleet/counts/repository'

/** The most versions that a manifest may list. */
const most = 1000

/**
 * Older versions that devices may return to from a release for these models: what the devices run, and what a rollout can still
 * install before this release reaches them. Newest first.
 */
export const returnVersionsFor = async (tx: Tx, projectId: string, models: string[], below: number): Promise<number[]> => {
  const running = tx
    .selectDistinct({ version: devices.installedVersion })
    .from(devices)
    .where(
      and(
        eq(devices.projectId, projectId),
        isNull(devices.deletedAt),
        inArray(devices.hardwareModel, models),
        lt(devices.installedVersion, below),
      ),
    )
  const current = tx
    .select({ version: releases.version })
    .from(releases)
    .where(
      and(
        eq(releases.projectId, projectId),
        inArray(releases.state, ['ready', 'released']),
        arrayOverlaps(releases.hardwareModels, models),
        lt(releases.version, below),
      ),
    )
  const rows = await union(running, current)
    .orderBy(({ version }) => desc(version))
    .limit(most)
  // A device may claim to run version 0; a manifest lists versions of releases.
  return rows.flatMap(({ version }) => (version !== null && version > 0 ? [version] : []))
}

/** What people call these versions, and how many devices run their releases, in the same order. */
export const describeVersions = async (tx: Tx, projectId: string, versions: readonly number[]) => {
  if (versions.length === 0) return []
  const running = await countValues(tx, projectId, 'release')
  const rows = await tx
    .select({ id: releases.id, version: releases.version, displayVersion: releases.displayVersion })
    .from(releases)
    .where(and(eq(releases.projectId, projectId), inArray(releases.version, [...versions])))
    .orderBy(desc(releases.version), desc(releases.id))
  return versions.flatMap((version) => {
    const of = rows.filter((row) => row.version === version)
    const [newest] = of
    const devices = of.reduce((sum, { id }) => sum + (running.get(id) ?? 0), 0)
    return newest ? [{ version, display_version: newest.displayVersion, devices }] : []
  })
}
