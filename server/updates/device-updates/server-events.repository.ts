import type { FailureCode, UpdateEventType, UpdateState } from '../../../contract/device/update-events'
import { updateEvents } from '../../fleet/schema/telemetry.partitioned'
import type { Tx } from '../../core/database/tx'
import { nextId } from '../../core/ids'

export type ServerEvent = {
  projectId: string
  deviceId: string
  rolloutId: string
  releaseId: string
  version: number
  attempt: number
  type: UpdateEventType
  fromState: UpdateState
  toState: UpdateState
  message?: string
  reasonCode?: FailureCode | null
  bootId?: string | null
}

/** Adds the server's own actions on updates (`update_offered`, `update_timed_out`, …) to the history of the devices. */
export const recordServerEvents = async (tx: Tx, events: readonly ServerEvent[], now: Date): Promise<void> => {
  if (events.length === 0) return
  await tx.insert(updateEvents).values(
    events.map((event) => {
      const id = nextId(now)
      return { ...event, id, eventId: id, tsMs: now.getTime(), receivedAt: now, source: 'server' as const }
    }),
  )
}
