import { and, desc, eq, ilike, isNull, or, sql } from 'drizzle-orm'
import { type DeviceHit, type ReleaseHit, searchLimit } from '../../../contract/search'
import { devices } from '../../fleet/schema/devices'
import { releases } from '../../updates/schema/releases'
import type { Tx } from '../../core/database/tx'
import { containing } from '../../core/http/paging'
import { formatTimestampOrNull } from '../../core/timestamps'
import { connectivityOf } from '../../fleet/devices/connectivity'
import { getProjectSettings } from '../../accounts/projects/plan-and-settings'

// Names that begin with the query come first.
const beginning = (q: string) => containing(q).slice(1)

/** Devices (not deleted) whose name or serial number contains `q`. */
export const findDevices = async (tx: Tx, projectId: string, q: string, now: Date): Promise<DeviceHit[]> => {
  const { polling_interval_s: pollS } = await getProjectSettings(tx, projectId)
  const wanted = containing(q)
  const rows = await tx
    .select({
      id: devices.id,
      name: devices.name,
      serial: devices.serialNumber,
      lastSeenAt: devices.lastSeenAt,
      pollingIntervalS: devices.pollingIntervalS,
      version: sql<string | null>`coalesce(${devices.installedDisplayVersion}, ${devices.installedVersion}::text)`,
    })
    .from(devices)
    .where(
      and(
        eq(devices.projectId, projectId),
        isNull(devices.deletedAt),
        or(ilike(devices.name, wanted), ilike(devices.serialNumber, wanted)),
      ),
    )
    .orderBy(desc(ilike(devices.name, beginning(q))), sql`lower(${devices.name})`)
    .limit(searchLimit)
  return rows.map((row) => ({
    kind: 'device',
    id: row.id,
    name: row.name,
    serial_number: row.serial,
    connectivity: connectivityOf(row.lastSeenAt, row.pollingIntervalS ?? pollS, now),
    last_seen_at: formatTimestampOrNull(row.lastSeenAt),
    version: row.version,
  }))
}

/** Releases whose name, version name or number contains `q`; newest first. */
export const findReleases = async (tx: Tx, projectId: string, q: string): Promise<ReleaseHit[]> => {
  const wanted = containing(q)
  const rows = await tx
    .select({
      id: releases.id,
      name: releases.name,
      version: releases.version,
      display_version: releases.displayVersion,
      state: releases.state,
    })
    .from(releases)
    .where(
      and(
        eq(releases.projectId, projectId),
        or(ilike(releases.name, wanted), ilike(releases.displayVersion, wanted), sql`${releases.version}::text like ${wanted}`),
      ),
    )
    .orderBy(desc(ilike(releases.name, beginning(q))), desc(releases.version))
    .limit(searchLimit)
  return rows.map((row) => ({ kind: 'release', ...row }))
}
