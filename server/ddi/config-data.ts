import type { ConfigData } from '../../contract/ddi/api'
import type { Attributes } from '../../contract/device/api'
import { clientOf } from '../../contract/fleet/hardware-models'
import type { ProjectSettings } from '../../contract/accounts/projects'
import type { Tx } from '../core/database/tx'
import { hashOfAttributes, maxAttributes, toAttributes } from '../fleet/devices/attributes'
import { type DeviceRow, updateReportedFacts } from '../fleet/devices/repository'
import { recordSelfReport } from '../updates/device-updates/confirmation'
import { getDdiDevice, updateDdiDevice } from './devices.repository'

const merged = (before: Attributes, { mode = 'merge', data }: ConfigData): Attributes => {
  const sent = toAttributes(data)
  if (mode === 'remove') return Object.fromEntries(Object.entries(before).filter(([key]) => !(key in sent)))
  return Object.fromEntries(Object.entries({ ...(mode === 'merge' && before), ...sent }).slice(0, maxAttributes))
}

const textOf = (attributes: Attributes, name: string): string | null => {
  const value = attributes[name]
  return value === undefined || value === '' ? null : String(value)
}

/** Keeps the attributes that a client sends; its version and boot id confirm an update or show that the device fell back. */
export const receiveAttributes = async (
  tx: Tx,
  device: DeviceRow,
  settings: ProjectSettings,
  body: ConfigData,
  now: Date,
): Promise<void> => {
  const attributes = merged(device.attributes, body)
  await updateReportedFacts(tx, device.id, { attributes, attributesHash: await hashOfAttributes(attributes), lastSeenAt: now })
  await getDdiDevice(tx, device)
  await updateDdiDevice(tx, device.id, { configAt: now, configAsked: false })
  if (body.mode === 'remove') return
  const { version_attribute } = clientOf(settings.hardware_models, device.hardwareModel)
  const sent = toAttributes(body.data)
  const report = { version: textOf(sent, version_attribute), bootId: textOf(sent, 'boot_id') }
  await recordSelfReport(tx, device, settings, report, now)
}
