import { and, asc, desc, eq, gt, ilike, lt, lte } from 'drizzle-orm'
import { logLevels } from '../../../contract/device/config'
import type { deviceSystemLogs, LogLine } from '../../../contract/device-logs'
import type { AnswerOf, QueryOf } from '../../../contract/endpoint'
import { listLimit } from '../../../contract/limits'
import { deviceBoots, logFeeds } from '../schema/telemetry'
import { deviceLogs } from '../schema/telemetry.partitioned'
import type { Tx } from '../../core/database/tx'
import { containing } from '../../core/http/paging'
import { refuseField } from '../../core/http/refuse'
import { formatTimestamp } from '../../core/timestamps'
import type { DeviceJsonRow } from '../devices/to-json'

type Query = QueryOf<typeof deviceSystemLogs>

const logLineToJson = (row: typeof deviceLogs.$inferSelect): LogLine => ({
  sequence: row.sequence,
  ts_ms: row.tsMs,
  received_at: formatTimestamp(row.receivedAt),
  level: logLevels[row.level] ?? 'debug',
  unit: row.unit,
  pid: row.pid,
  boot_id: row.bootId,
  message: row.message,
  fields: row.fields,
})

const worstTo = (name: string) => {
  const index = (logLevels as readonly string[]).indexOf(name)
  return index < 0 ? refuseField('level_max', 'not_listed', `Level must be one of ${logLevels.join(', ')}`) : index
}

const bootsShown = 50

const around = async (tx: Tx, device: DeviceJsonRow) => {
  const [feed] = await tx.select().from(logFeeds).where(eq(logFeeds.deviceId, device.id))
  const boots = await tx
    .select({ boot_id: deviceBoots.bootId, first_ts_ms: deviceBoots.firstTsMs })
    .from(deviceBoots)
    .where(eq(deviceBoots.deviceId, device.id))
    .orderBy(desc(deviceBoots.seenAt))
    .limit(bootsShown)
  return { dropped: feed?.dropped ?? 0, units: feed?.units.toSorted() ?? [], boots }
}

/**
 * Lines in the order of their sequence. Without a bound the newest ones; `next_cursor` is the sequence to continue from: into
 * the past as `before_sequence`, or forward as `after_sequence` where that was asked.
 */
export const readLogs = async (tx: Tx, device: DeviceJsonRow, query: Query): Promise<AnswerOf<typeof deviceSystemLogs>> => {
  const { limit = listLimit.default, q, level_max, unit, boot_id, after_sequence, before_sequence } = query
  const forward = after_sequence !== undefined
  const rows = await tx
    .select()
    .from(deviceLogs)
    .where(
      and(
        eq(deviceLogs.projectId, device.projectId),
        eq(deviceLogs.deviceId, device.id),
        after_sequence === undefined ? undefined : gt(deviceLogs.sequence, after_sequence),
        before_sequence === undefined ? undefined : lt(deviceLogs.sequence, before_sequence),
        level_max === undefined ? undefined : lte(deviceLogs.level, worstTo(level_max)),
        unit === undefined ? undefined : eq(deviceLogs.unit, unit),
        boot_id === undefined ? undefined : eq(deviceLogs.bootId, boot_id),
        q ? ilike(deviceLogs.message, containing(q)) : undefined,
      ),
    )
    .orderBy(forward ? asc(deviceLogs.sequence) : desc(deviceLogs.sequence))
    .limit(limit + 1)
  const page = rows.slice(0, limit)
  const lines = (forward ? page : page.toReversed()).map(logLineToJson)
  const edge = page.at(-1)?.sequence
  return { lines, next_cursor: rows.length > limit && edge !== undefined ? String(edge) : null, ...(await around(tx, device)) }
}
