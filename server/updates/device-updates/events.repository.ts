import { and, count, eq, inArray, notInArray } from 'drizzle-orm'
import type { deviceUpdateEvents } from '../../../contract/device-updates'
import type { QueryOf } from '../../../contract/endpoint'
import type { Tx } from '../../core/database/tx'
import { paging } from '../../core/http/paging'
import type { DeviceRow } from '../../fleet/devices/repository'
import { statesOf } from '../../fleet/devices/update-group'
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
        query.type === undefined ? undefined : eq(updateEvents.type, query.type as UpdateEventRow['type']),
        page.after,
      ),
    )
    .orderBy(...page.order)
    .limit(page.take)
  return page.cut(rows, ({ id }) => [id, id])
}

/** Those of the events that are stored. */
export const listStoredEvents = (tx: Tx, device: Owner, eventIds: readonly string[]): Promise<{ eventId: string }[]> =>
  tx
    .select({ eventId: updateEvents.eventId })
    .from(updateEvents)
    .where(and(ofDevice(device), inArray(updateEvents.eventId, [...eventIds])))

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

export const insertUpdateEvents = async (tx: Tx, rows: UpdateEventRow[]): Promise<void> => {
  if (rows.length > 0) await tx.insert(updateEvents).values(rows)
}
