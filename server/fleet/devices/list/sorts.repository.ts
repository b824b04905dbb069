import { type SQL, sql } from 'drizzle-orm'
import type { KeyKind } from '../../../core/http/paging'
import { connectivityRank, healthRank, updateRank } from '../../schema/device-values'
import { devices } from '../../schema/devices'
import type { Computed } from '../state/computed.repository'

/** Types of the sorts below that are not text. */
export const sortKinds = (isDeleted: boolean): Readonly<Record<string, KeyKind>> => ({
  version: 'integer',
  created_at: 'time',
  enrolled_at: 'time',
  last_seen_at: 'time',
  ...(isDeleted && { deleted_at: 'time' }),
  connectivity: 'integer',
  health: 'integer',
  update: 'integer',
})

/** Sorts with few values: the name decides next. */
export const groupSorts: ReadonlySet<string> = new Set([
  'hardware_model',
  'lifecycle',
  'version',
  'connectivity',
  'health',
  'update',
])

export const nameKey = sql<string>`lower(${devices.name})`

/** The sort keys of a device list. None of these is null; each has an index, by connectivity and health that of the last review. */
export const sortsOf = ({ connectivity, health, update }: Computed, isDeleted: boolean): Record<string, SQL> => ({
  name: nameKey,
  serial_number: sql`coalesce(${devices.serialNumber}, '')`,
  hardware_model: sql`${devices.hardwareModel}`,
  lifecycle: sql`${devices.lifecycle}`,
  version: sql`coalesce(${devices.installedVersion}, 0)`,
  created_at: sql`${devices.createdAt}`,
  enrolled_at: sql`coalesce(${devices.enrolledAt}, 'epoch'::timestamptz)`,
  last_seen_at: sql`coalesce(${devices.lastSeenAt}, 'epoch'::timestamptz)`,
  // Devices that are not deleted are all equal by it.
  deleted_at: isDeleted ? sql`${devices.deletedAt}` : nameKey,
  connectivity: connectivityRank(connectivity),
  health: healthRank(health),
  update: updateRank(update),
})
