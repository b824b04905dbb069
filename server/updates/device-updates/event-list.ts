import type { deviceUpdateEvents, UpdateEvent } from '../../../contract/updates/device-updates'
import type { QueryOf } from '../../../contract/core/endpoint'
import type { Tx } from '../../core/database/tx'
import { formatTimestamp } from '../../core/timestamps'
import { listUpdateEvents, type UpdateEventRow } from './events.repository'
import { namesOf } from './names.repository'
import type { DeviceRow } from '../../fleet/devices/repository'

type Names = Awaited<ReturnType<typeof namesOf>>

const updateEventToJson = (row: UpdateEventRow, { releases, rollouts }: Names): UpdateEvent => {
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
  const cut = await listUpdateEvents(tx, device, query)
  const names = await namesOf(tx, cut.rows)
  return { update_events: cut.rows.map((row) => updateEventToJson(row, names)), next_cursor: cut.next_cursor, total: null }
}
