import type { ConfigData } from '../../contract/ddi/api'
import type { Attributes } from '../../contract/device/api'
import { clientOf } from '../../contract/hardware-models'
import type { ProjectSettings } from '../../contract/projects'
import type { Tx } from '../core/database/tx'
import { sanitizeText } from '../core/plain-text'
import { hashOfAttributes } from '../fleet/devices/attributes'
import { type DeviceRow, updateReportedFacts } from '../fleet/devices/repository'
import { recordSelfReport } from '../updates/device-updates/confirmation'
import { getDdiDevice, updateDdiDevice } from './devices.repository'

const most = { keys: 100, key: 63, value: 512 } as const

const toKey = (name: string): string | null => {
  const key = name.toLowerCase().replace(/[^a-z0-9_.]/g, '_')
  return /^[a-z]/.test(key) ? key.slice(0, most.key) : key === '' ? null : `x${key}`.slice(0, most.key)
}

const toValue = (value: unknown): string =>
  sanitizeText(typeof value === 'string' ? value : value == null ? '' : JSON.stringify(value), most.value)

/** Attributes as ours may be: clients send any name and any value. Surplus ones are dropped. */
export const toAttributes = (data: Readonly<Record<string, unknown>>): Attributes =>
  Object.fromEntries(
    Object.entries(data).flatMap(([name, value]) => {
      const key = toKey(name)
      return key === null ? [] : [[key, toValue(value)]]
    }),
  )

const merged = (before: Attributes, { mode = 'merge', data }: ConfigData): Attributes => {
  const sent = toAttributes(data)
  if (mode === 'remove') return Object.fromEntries(Object.entries(before).filter(([key]) => !(key in sent)))
  return Object.fromEntries(Object.entries({ ...(mode === 'merge' && before), ...sent }).slice(0, most.keys))
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
