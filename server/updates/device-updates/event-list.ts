import { and, eq } from 'drizzle-orm'
import type { deviceUpdateEvents, UpdateEvent } from '../../../contract/device-updates'
import type { QueryOf } from '../../../contract/endpoint'
import { updateEvents } from '../../fleet/schema/telemetry.partitioned'
import type { Tx } from '../../core/database/tx'
import { paging } from '../../core/http/paging'
import { formatTimestamp } from '../../core/timestamps'
import { namesOf } from './names.repository'
import type { DeviceRow } from '../../fleet/devices/repository'

type Names = Awaited<ReturnType<typeof namesOf>>

const updateEventToJson = (row: typeof updateEvents.$inferSelect, { releases, rollouts }: Names): UpdateEvent => {
  const release = releases.get(row.releaseId ?? '')
  return {
    id: row.id,
    rollout_id: row.rolloutId,
    release_id: row.releaseId,
    version: row.version ?? release?.version ?? null,
    display_version: release?.displayVersion ?? null,
    release_name: release?.name ?? null,
    rollout_name: rollouts.get(row.rolloutId ?? '') ?? null,
    attempt: row.attempt,
    type: row.type,
    from_state: row.fromState,
    to_state: row.toState,
    reason_code: row.reasonCode,
    message: row.message,
    progress_percent: row.progressPercent,
    bytes_done: row.bytesDone,
    duration_ms: row.durationMs,
    slot: row.slot,
    boot_id: row.bootId,
    ts_ms: row.tsMs,
    received_at: formatTimestamp(row.receivedAt),
    sequence: row.sequence,
    source: row.source,
  }
}

export const listEvents = async (tx: Tx, device: DeviceRow, query: QueryOf<typeof deviceUpdateEvents>) => {
  // The id is created when the event is stored: its order is the order of arrival.
  const page = paging({ ...query, sort: undefined }, { id: updateEvents.id }, updateEvents.id, '-id')
  const rows = await tx
    .select()
    .from(updateEvents)
    .where(
      and(
        eq(updateEvents.projectId, device.projectId),
        eq(updateEvents.deviceId, device.id),
        query.rollout_id === undefined ? undefined : eq(updateEvents.rolloutId, query.rollout_id),
        query.type === undefined ? undefined : eq(updateEvents.type, query.type as (typeof updateEvents.$inferSelect)['type']),
        page.after,
      ),
    )
    .orderBy(...page.order)
    .limit(page.take)
  const cut = page.cut(rows, ({ id }) => [id, id])
  const names = await namesOf(tx, cut.rows)
  return { update_events: cut.rows.map((row) => updateEventToJson(row, names)), next_cursor: cut.next_cursor, total: null }
}
