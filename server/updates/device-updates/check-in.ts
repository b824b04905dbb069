import type { CheckInAnswer, CheckInBody } from '../../../contract/device/api'
import type { ProjectSettings } from '../../../contract/accounts/projects'
import type { Tx } from '../../core/database/tx'
import type { DeviceActor } from '../../core/http/actors'
import { tokenUse } from '../../fleet/devices/tokens/token-sharing'
import { recordBoots } from '../../fleet/telemetry/boots'
import { recordInstalled, recordNothingInstalled } from './installed'
import { filterByTime } from '../../fleet/telemetry/points'
import { findMeasuredDevice } from '../../fleet/telemetry/metrics.repository'
import { insertAlone, storeMetrics } from '../../fleet/telemetry/store-metrics'
import { emitEnrolled } from '../../fleet/devices/events'
import { deliverCommands } from '../../fleet/devices/steps/pending-commands'
import { lockCallingDevice, type DeviceRow, updateReportedFacts } from '../../fleet/devices/repository'
import { pollingColumns } from '../../fleet/devices/polling'
import { compareReported } from '../../fleet/devices/reported'
import { noteAppliedBundle } from '../secure-boot/applied'

const noteBattery = async (tx: Tx, device: DeviceRow, settings: ProjectSettings, value: number, now: Date) => {
  const point = { name: 'battery.level_percent', unit: '%', tsMs: now.getTime(), value }
  await storeMetrics(tx, await findMeasuredDevice(tx, device.id), filterByTime([point], now), settings, {
    now,
    insert: insertAlone,
  })
}

type Caller = Pick<DeviceActor, 'id' | 'settings'> & { address: string }

type PlainAnswer = Omit<CheckInAnswer, 'update_available'>

/** The answer to a check-in without commands. */
export const checkInAnswer = (
  {
    attributesHash,
    projectId,
    formerProjectIds,
    eventSequence,
  }: Pick<DeviceRow, 'attributesHash' | 'projectId' | 'formerProjectIds' | 'eventSequence'>,
  pollS: number,
  body: CheckInBody,
  now: Date,
): PlainAnswer => ({
  polling_interval_s: pollS,
  commands: [],
  want_attributes: attributesHash !== body.attributes_hash,
  log_level: null,
  ...(formerProjectIds.length > 0 && { project_id: projectId }),
  event_sequence: eventSequence,
  server_time_ms: now.getTime(),
})

/** Records a check-in. The caller passes `updateAvailable`. */
export const checkIn = async (
  tx: Tx,
  { id: deviceId, settings, address }: Caller,
  body: CheckInBody,
  now: Date,
): Promise<{ device: DeviceRow; answer: PlainAnswer }> => {
  const device = await lockCallingDevice(tx, deviceId)
  const { boot_id, installed, secure_boot } = body
  const { polling_interval_s: projectS } = settings
  const polling = pollingColumns(device, body.polling_interval_s, projectS)
  await updateReportedFacts(tx, deviceId, {
    firstSeenAt: device.firstSeenAt ?? now,
    lastSeenAt: now,
    enrolledAt: device.enrolledAt ?? now,
    ...compareReported(device, body),
    ...polling,
    ...tokenUse(device, address, boot_id, now),
  })
  // The first contact of a device that was added before.
  if (device.enrolledAt === null) await emitEnrolled(tx, device, now)
  if (boot_id !== device.bootId) {
    const started = now.getTime() - body.uptime_s * 1000
    await recordBoots(tx, { projectId: device.projectId, deviceId }, [{ bootId: boot_id, tsMs: started }], now)
  }
  if (installed) {
    const { release_id: releaseId, version, slot, confirmed } = installed
    await recordInstalled(tx, device, { releaseId, version, slot, confirmed }, now)
  } else await recordNothingInstalled(tx, device)
  if (typeof secure_boot.bundle_id === 'string') await noteAppliedBundle(tx, device, secure_boot.bundle_id, now)
  const active = device.lifecycle === 'active'
  if (active && body.battery_percent !== undefined) await noteBattery(tx, device, settings, body.battery_percent, now)
  const ownS = polling.pollingIntervalS === undefined ? device.pollingIntervalS : polling.pollingIntervalS
  return {
    device,
    answer: {
      ...checkInAnswer(device, ownS ?? projectS, body, now),
      ...(active && { commands: await deliverCommands(tx, deviceId, now) }),
    },
  }
}
