import { inArray } from 'drizzle-orm'
import type { Tx } from '../../../core/database/tx'
import type { DeviceRow } from '../../../fleet/devices/repository'
import { releases } from '../../schema/releases'
import type { ReturnLists } from './to-decision-facts'

/** The return lists of the releases that these devices run. */
export const findReturnLists = async (tx: Tx, rows: readonly Pick<DeviceRow, 'installedReleaseId'>[]): Promise<ReturnLists> => {
  const ids = new Set(rows.flatMap(({ installedReleaseId }) => installedReleaseId ?? []))
  if (ids.size === 0) return new Map()
  const of = { id: releases.id, mayReturnTo: releases.mayReturnTo }
  const found = await tx
    .select(of)
    .from(releases)
    .where(inArray(releases.id, [...ids]))
  return new Map(found.map(({ id, mayReturnTo }) => [id, mayReturnTo]))
}
