import type { UpdateState } from '../../../contract/device/update-events'
import type { Tx } from '../../core/database/tx'
import { emitEvent } from '../../core/events/emit'
import { deviceRef } from '../../fleet/devices/events'
import type { DeviceRow } from '../../fleet/devices/repository'
import type { DeviceUpdateRow } from './repository'

const eventOfState = {
  succeeded: 'update.succeeded',
  failed: 'update.failed',
  timed_out: 'update.failed',
  rolled_back: 'update.rolled_back',
} as const

const isReported = (state: UpdateState): state is keyof typeof eventOfState => state in eventOfState

type Ended = Pick<DeviceUpdateRow, 'projectId' | 'rolloutId' | 'attempt' | 'state' | 'errorCode' | 'errorText'>

/** Emits the event of an update that has just reached this state, if it is one of its ends. */
export const emitUpdateEnd = async (
  tx: Tx,
  device: Pick<DeviceRow, 'id' | 'name' | 'serialNumber'>,
  { projectId, rolloutId, attempt, state, errorCode, errorText }: Ended,
  release: { id: string; version: number },
  now: Date,
): Promise<void> => {
  if (!isReported(state)) return
  const data = {
    device: deviceRef(device),
    rollout_id: rolloutId,
    release_id: release.id,
    version: release.version,
    attempt,
    error_code: errorCode,
    error_text: errorText,
  }
  await emitEvent(tx, { projectId, type: eventOfState[state], data }, now)
}
