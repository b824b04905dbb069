import type { QueryOf } from '../../../contract/endpoint'
import type { RolloutDevice, rolloutDevices as endpoint } from '../../../contract/rollouts'
import { deviceUpdateMoves } from '../../../machines/device-update/device-update.machine'
import { rolloutMoves } from '../../../machines/rollout/rollout.machine'
import type { Tx } from '../../core/database/tx'
import { refuseField } from '../../core/http/refuse'
import { formatTimestamp } from '../../core/timestamps'
import type { DeviceUpdateRow } from '../device-updates/repository'
import { notOfferingText } from './checks'
import { listRolloutDevices } from './rollout-devices.repository'
import type { RolloutRow } from './rollout-rows.repository'
import { statesOf } from '../../fleet/devices/update-group'

type Query = NonNullable<QueryOf<typeof endpoint>>

const groups = {
  succeeded: statesOf('succeeded'),
  failed: statesOf('failed'),
  running: statesOf('in_progress'),
  waiting: statesOf('waiting'),
  left_out: [...deviceUpdateMoves.withTag('held'), ...statesOf('none')],
}

const isWaiting = ({ state }: DeviceUpdateRow) => groups.waiting.includes(state)

/**
 * Why the devices of a rollout that offers nothing wait: what each was told last is older than that. Null while it offers, and
 * each has the reason that it was told.
 */
const waitReasonOf = (row: RolloutRow): string | null =>
  rolloutMoves.hasTag(row.phase, 'offering') ? null : notOfferingText(row)

const rolloutDeviceToJson = (update: DeviceUpdateRow, waitReason: string | null): RolloutDevice => ({
  device_id: update.deviceId,
  device_name: update.name,
  wave: update.wave,
  from_version: update.fromVersion,
  from_display_version: update.fromDisplayVersion,
  state: update.state,
  reason: isWaiting(update)
    ? (waitReason ?? update.reason)
    : (update.stays ?? update.reason ?? update.errorText ?? update.errorCode),
  progress_percent: update.progress,
  attempt: update.attempt,
  since: formatTimestamp(update.since),
})

const waveNumber = (text: string) =>
  /^[1-9]\d?$/.test(text) ? Number(text) : refuseField('wave', 'type', 'Wave must be a whole number')

/** The devices of a rollout, by name. */
export const listDevices = async (tx: Tx, rollout: RolloutRow, { group, wave, ...query }: Query) => {
  const states = group && groups[group]
  const waitReason = waitReasonOf(rollout)
  const filter = { states, wave: wave === undefined ? undefined : waveNumber(wave) }
  const { rows, next_cursor, total } = await listRolloutDevices(tx, rollout, query, filter)
  return { devices: rows.map((row) => rolloutDeviceToJson(row, waitReason)), next_cursor, total }
}
