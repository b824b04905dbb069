import { and, count, eq, gte, inArray, lte, notInArray } from 'drizzle-orm'
import type { deviceUpdateEvents } from '../../../contract/updates/device-updates'
import type { QueryOf } from '../../../contract/core/endpoint'
import { runPrepared } from '../../core/database/prepared'
import type { Tx } from '../../core/database/tx'
import { paging } from '../../core/http/paging'
import type { DeviceRow } from '../../fleet/devices/repository'
import { statesOf } from '../../fleet/devices/state/update-group'
import { updateEvents } from '../../fleet/schema/telemetry.partitioned'

export type UpdateEventRow = typeof updateEvents.$inferSelect
type Owner = Pick<DeviceRow, 'id' | 'projectId'>

const failed = statesOf('failed')

const ofDevice = ({ id, projectId }: Owner) => and(eq(updateEvents.projectId, projectId), eq(updateEvents.deviceId, id))

/** One page of the update events of a device, newest first. */
export const listUpdateEvents = async (tx: Tx, device: Owner, query: QueryOf<typeof deviceUpdateEvents>) => {
  // The id is created when the event is stored: its order is the order of arrival.
  const page = paging({ ...query, sort: undefined }, { id: updateEvents.id }, updateEvents.id, '-id')
  const rows = await tx
    .select()
    .from(updateEvents)
    .where(
      and(
        ofDevice(device),
        query.rollout_id === undefined ? undefined : eq(updateEvents.rolloutId, query.rollout_id),
        query.type === undefined ? undefined : inArray(updateEvents.type, query.type as UpdateEventRow['type'][]),
        query.from === undefined ? undefined : gte(updateEvents.receivedAt, new Date(query.from)),
        query.to === undefined ? undefined : lte(updateEvents.receivedAt, new Date(query.to)),
        page.after,
      ),
    )
    .orderBy(...page.order)
    .limit(page.take)
  return page.cut(rows, ({ id }) => [id, id])
}

/** Those of the events that are stored: a text of its own, which names no id, because planning takes longer than the look-up. */
export const listStoredEvents = (tx: Tx, { id, projectId }: Owner, eventIds: readonly string[]): Promise<{ eventId: string }[]> =>
  runPrepared<{ eventId: string }>(
    tx,
    'stored_events',
    'select event_id as "eventId" from update_events where project_id = $1 and device_id = $2 and event_id = any($3::text[])',
    [projectId, id, [...eventIds]],
  )

/** The failed attempts of one release. */
export const countFailures = async (tx: Tx, device: Owner, releaseId: string): Promise<number> => {
  const [failures] = await tx
    .select({ n: count() })
    .from(updateEvents)
    .where(
      and(
        ofDevice(device),
        eq(updateEvents.releaseId, releaseId),
        inArray(updateEvents.toState, failed),
        // An update that failed and then rolled back has failed once.
        notInArray(updateEvents.fromState, failed),
      ),
    )
  return failures?.n ?? 0
}

// Each column with its type and its value in a row.
const columns: readonly [name: string, type: string, value: (row: UpdateEventRow) => unknown][] = [
  ['project_id', 'text', (row) => row.projectId],
  ['device_id', 'text', (row) => row.deviceId],
  ['id', 'text', (row) => row.id],
  ['event_id', 'text', (row) => row.eventId],
  ['rollout_id', 'text', (row) => row.rolloutId],
  ['release_id', 'text', (row) => row.releaseId],
  ['version', 'bigint', (row) => row.version],
  ['attempt', 'int', (row) => row.attempt],
  ['type', 'text', (row) => row.type],
  ['from_state', 'text', (row) => row.fromState],
  ['to_state', 'text', (row) => row.toState],
  ['reason_code', 'text', (row) => row.reasonCode],
  ['message', 'text', (row) => row.message],
  ['progress_percent', 'float8', (row) => row.progressPercent],
  ['bytes_done', 'bigint', (row) => row.bytesDone],
  ['duration_ms', 'bigint', (row) => row.durationMs],
  ['slot', 'text', (row) => row.slot],
  ['boot_id', 'text', (row) => row.bootId],
  ['key_fingerprint', 'text', (row) => row.keyFingerprint],
  ['ts_ms', 'bigint', (row) => row.tsMs],
  ['received_at', 'timestamptz', (row) => row.receivedAt.toISOString()],
  ['sequence', 'bigint', (row) => row.sequence],
  ['source', 'text', (row) => row.source],
]
const insertText = `insert into update_events (${columns.map(([name]) => name).join(', ')})
  select * from unnest(${columns.map(([, type], n) => `$${n + 1}::${type}[]`).join(', ')})`

/** Inserts events by one array per column: the statement is the same for any number of them. */
export const insertUpdateEvents = async (tx: Tx, rows: readonly UpdateEventRow[]): Promise<void> => {
  if (rows.length === 0) return
  await runPrepared(
    tx,
    'insert_update_events',
    insertText,
    columns.map(([, , value]) => rows.map(value)),
  )
}
