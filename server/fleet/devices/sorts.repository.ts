import { type SQL, sql } from 'drizzle-orm'
import { devices } from '../schema/devices'
import type { Computed } from './computed.repository'

const worstFirst = { critical: 0, warning: 1, unknown: 2, healthy: 3 }
const nearestFirst = { online: 0, late: 1, offline: 2, never_seen: 3 }
const busiestFirst = { in_progress: 0, failed: 1, waiting: 2, succeeded: 3, none: 4 }

const ranked = (value: SQL, ranks: Record<string, number>) =>
  sql`case ${value} ${sql.join(
    Object.entries(ranks).map(([name, rank]) => sql`when ${sql.raw(`'${name}'`)} then ${sql.raw(String(rank))}`),
    sql` `,
  )} end`

/** Types of the sorts below that are not text. */
export const sortKinds = {
  version: 'integer',
  created_at: 'time',
  enrolled_at: 'time',
  last_seen_at: 'time',
  deleted_at: 'time',
  connectivity: 'integer',
  health: 'integer',
  update: 'integer',
} as const

/** The sort keys of a device list. None of these is null; those that are plain columns have an index. */
export const sortsOf = ({ connectivity, health, update }: Computed): Record<string, SQL> => ({
  name: sql`lower(${devices.name})`,
  serial_number: sql`coalesce(${devices.serialNumber}, '')`,
  hardware_model: sql`${devices.hardwareModel}`,
  lifecycle: sql`${devices.lifecycle}`,
  version: sql`coalesce(${devices.installedVersion}, 0)`,
  created_at: sql`${devices.createdAt}`,
  enrolled_at: sql`coalesce(${devices.enrolledAt}, 'epoch'::timestamptz)`,
  last_seen_at: sql`coalesce(${devices.lastSeenAt}, 'epoch'::timestamptz)`,
  deleted_at: sql`coalesce(${devices.deletedAt}, 'epoch'::timestamptz)`,
  connectivity: ranked(connectivity, nearestFirst),
  health: ranked(health, worstFirst),
  update: ranked(update, busiestFirst),
})
