import type { QueryOf } from '../../../contract/endpoint'
import type { RolloutDevice, rolloutDevices as endpoint } from '../../../contract/rollouts'
import type { Tx } from '../../core/database/tx'
import { refuseField } from '../../core/http/refuse'
import { formatTimestamp } from '../../core/timestamps'
import type { DeviceUpdateRow } from '../device-updates/repository'
import { listRolloutDevices } from './rollout-devices.repository'
import { statesOf } from '../../fleet/devices/update-group'

type Query = NonNullable<QueryOf<typeof endpoint>>
type Row = { update: DeviceUpdateRow; name: string }

const rolloutDeviceToJson = ({ update, name }: Row): RolloutDevice => ({
  device_id: update.deviceId,
  device_name: name,
  wave: update.wave,
  from_version: update.fromVersion,
  from_display_version: update.fromDisplayVersion,
  state: update.state,
  reason: update.stays ?? update.reason ?? update.errorText ?? update.errorCode,
  progress_percent: update.progress,
  attempt: update.attempt,
  since: formatTimestamp(update.since),
})

const groups = { succeeded: 'succeeded', failed: 'failed', running: 'in_progress', waiting: 'waiting' } as const

const waveNumber = (text: string) =>
  /^[1-9]\d?$/.test(text) ? Number(text) : refuseField('wave', 'type', 'Wave must be a whole number')

/** The devices of a rollout, by name. */
export const listDevices = async (tx: Tx, rolloutId: string, { group, wave, ...query }: Query) => {
  const states = group && statesOf(groups[group])
  const filter = { states, wave: wave === undefined ? undefined : waveNumber(wave) }
  const { rows, next_cursor, total } = await listRolloutDevices(tx, rolloutId, query, filter)
  return { devices: rows.map(rolloutDeviceToJson), next_cursor, total }
}
