import { and, desc, inArray, or, sql } from 'drizzle-orm'
import { searchLimit } from '../../../contract/overview/search'
import { devices } from '../../fleet/schema/devices'
import { releases } from '../../updates/schema/releases'
import { beginsWithText, containsText } from '../../core/database/fold-case'
import type { Tx } from '../../core/database/tx'
import { versionSql } from '../../fleet/devices/state/computed.repository'
import { listFirstWithText, listFirstWithTextIn } from '../../fleet/devices/list/text-search.repository'

const listByIds = async (tx: Tx, ids: readonly string[]) => {
  const rows = await tx
    .select({
      id: devices.id,
      projectId: devices.projectId,
      name: devices.name,
      serialNumber: devices.serialNumber,
      lastSeenAt: devices.lastSeenAt,
      pollingIntervalS: devices.pollingIntervalS,
      version: versionSql,
    })
    .from(devices)
    .where(inArray(devices.id, [...ids]))
  return rows.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))
}

/** Devices (not deleted) whose name or serial number contains `q`. */
export const listMatchingDevices = async (tx: Tx, projectId: string, q: string) =>
  listByIds(tx, await listFirstWithText(tx, projectId, q, searchLimit))

/** As `listMatchingDevices`, in several projects. */
export const listMatchingDevicesIn = async (tx: Tx, projectIds: readonly string[], q: string) =>
  listByIds(tx, await listFirstWithTextIn(tx, projectIds, q, searchLimit))

/** Releases whose name, version name or number contains `q`; those with a name that begins with it first, then the newest. */
export const listMatchingReleases = (tx: Tx, projectIds: readonly string[], q: string) => {
  const ofName = or(containsText(releases.name, q), containsText(releases.displayVersion, q))
  return tx
    .select({
      id: releases.id,
      projectId: releases.projectId,
      name: releases.name,
      version: releases.version,
      displayVersion: releases.displayVersion,
      state: releases.state,
    })
    .from(releases)
    .where(and(inArray(releases.projectId, [...projectIds]), or(ofName, containsText(sql`${releases.version}::text`, q))))
    .orderBy(desc(beginsWithText(releases.name, q)), desc(releases.version))
    .limit(searchLimit)
}

export type MatchingDevice = Awaited<ReturnType<typeof listMatchingDevices>>[number]
export type MatchingRelease = Awaited<ReturnType<typeof listMatchingReleases>>[number]
