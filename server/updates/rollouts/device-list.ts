import type { QueryOf } from '../../../contract/core/endpoint'
import type { RolloutDevice, rolloutDevices as endpoint } from '../../../contract/updates/rollouts'
import { deviceUpdateMoves } from '../../../machines/device-update/device-update.machine'
import { refuseField } from '../../core/http/refuse'
import type { ProjectRead } from '../../core/http/scope'
import { formatTimestamp, formatTimestampOrNull } from '../../core/timestamps'
import type { DeviceUpdateRow } from '../device-updates/repository'
import { listReturned } from './steps/roll-back.repository'
import { listRolloutDevices } from './rows/rollout-devices.repository'
import type { RolloutRow } from './rows/rollout-rows.repository'
import { statesOf } from '../../fleet/devices/state/update-group'
import { findWaits, type Wait } from './run/waits'

type Query = NonNullable<QueryOf<typeof endpoint>>

const groups = {
  succeeded: statesOf('succeeded'),
  failed: statesOf('failed'),
  running: statesOf('in_progress'),
  waiting: statesOf('waiting'),
  left_out: [...deviceUpdateMoves.withTag('held'), ...statesOf('none')],
}

/** What became of the devices that succeeded: those that a rollback has sent back since. */
const findReturns = async (
  { tx }: ProjectRead,
  rollout: RolloutRow,
  updates: readonly DeviceUpdateRow[],
): Promise<ReadonlyMap<string, RolloutDevice['returned']>> => {
  const succeeded = updates.filter(({ state }) => groups.succeeded.includes(state))
  const found = await listReturned(
    tx,
    rollout.id,
    succeeded.map(({ deviceId }) => deviceId),
  )
  return new Map(
    found.map(({ deviceId, rolloutId, version, displayVersion, at }) => [
      deviceId,
      { rollout_id: rolloutId, version, display_version: displayVersion, at: formatTimestamp(at) },
    ]),
  )
}

type Later = { wait: Wait | undefined; returned: RolloutDevice['returned'] }

const rolloutDeviceToJson = (update: DeviceUpdateRow, { wait, returned }: Later): RolloutDevice => ({
  device_id: update.deviceId,
  device_name: update.name,
  wave: update.wave,
  from_version: update.fromVersion,
  from_display_version: update.fromDisplayVersion,
  state: update.state,
  reason: wait ? wait.text : (update.stays ?? update.reason ?? update.errorText ?? update.errorCode),
  returned,
  waits_until: formatTimestampOrNull(wait?.until ?? null),
  progress_percent: update.progress,
  attempt: update.attempt,
  since: formatTimestamp(update.since),
})

const waveNumber = (text: string) =>
  /^[1-9]\d?$/.test(text) ? Number(text) : refuseField('wave', 'type', 'Wave must be a whole number')

/** The devices of a rollout, by name. */
export const listDevices = async (read: ProjectRead, rollout: RolloutRow, { group, wave, ...query }: Query) => {
  const states = group && groups[group]
  const filter = { states, wave: wave === undefined ? undefined : waveNumber(wave) }
  const { rows, next_cursor, total } = await listRolloutDevices(read.tx, rollout, query, filter)
  const waits = await findWaits(read, rollout, rows)
  const returns = await findReturns(read, rollout, rows)
  const laterOf = ({ deviceId }: DeviceUpdateRow) => ({ wait: waits.get(deviceId), returned: returns.get(deviceId) ?? null })
  return { devices: rows.map((row) => rolloutDeviceToJson(row, laterOf(row))), next_cursor, total }
}
