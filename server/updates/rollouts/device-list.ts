import type { QueryOf } from '../../../contract/endpoint'
import type { RolloutDevice, rolloutDevices as endpoint } from '../../../contract/rollouts'
import { deviceUpdateMoves } from '../../../machines/device-update/device-update.machine'
import { rolloutMoves } from '../../../machines/rollout/rollout.machine'
import { notFound, refuseField } from '../../core/http/refuse'
import type { ProjectRead } from '../../core/http/scope'
import { formatTimestamp, formatTimestampOrNull } from '../../core/timestamps'
import { findNextPoll } from '../../fleet/devices/next-poll'
import { listDevicesById } from '../../fleet/devices/repository'
import type { DeviceUpdateRow } from '../device-updates/repository'
import { notOfferingText } from './checks'
import { explainOffer, readOffer } from './explain-offer'
import { findRelease } from './releases.repository'
import { findReturnLists } from './return-lists.repository'
import { listReturned } from './roll-back.repository'
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

/** `until`: when that changes at the latest without anyone acting; null if nobody knows. */
type Wait = { text: string; until: Date | null }

/**
 * For what the waiting devices wait, by the checks of their own next request: what each was told last may be long past, and one
 * that has not asked yet was told nothing.
 */
const findWaits = async (
  read: ProjectRead,
  rollout: RolloutRow,
  updates: readonly DeviceUpdateRow[],
): Promise<ReadonlyMap<string, Wait>> => {
  const isOffering = rolloutMoves.hasTag(rollout.phase, 'offering')
  // An offer that was made holds while the rollout makes no new ones.
  const waiting = updates.filter((update) => isWaiting(update) || update.state === 'offered')
  if (waiting.length === 0) return new Map()
  const offer = await readOffer(read, (await findRelease(read.tx, rollout.releaseId)) ?? notFound(), rollout)
  const devices = await listDevicesById(
    read.tx,
    waiting.map(({ deviceId }) => deviceId),
  )
  const lists = await findReturnLists(read.tx, devices)
  const byId = new Map(devices.map((device) => [device.id, device]))
  const waitOf = (update: DeviceUpdateRow): Wait | null => {
    const device = byId.get(update.deviceId)
    if (!device) return null
    const nextPoll = findNextPoll(device, device.pollingIntervalS ?? read.project.settings.polling_interval_s)
    if (update.state === 'offered') return { text: 'Offered, and not begun yet', until: nextPoll }
    if (!isOffering) return { text: notOfferingText(rollout), until: null }
    const { failed } = explainOffer(offer, device, lists, update)
    if (failed) return { text: failed.text, until: failed.until }
    return { text: nextPoll ? 'Gets it at its next check-in' : 'Gets it at its first check-in', until: nextPoll }
  }
  return new Map(
    waiting.flatMap((update) => {
      const wait = waitOf(update)
      return wait ? [[update.deviceId, wait] as const] : []
    }),
  )
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
