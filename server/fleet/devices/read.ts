import type { Device } from '../../../contract/devices'
import type { Tx } from '../../core/database/tx'
import { getProjectSettings } from '../../accounts/projects/plan-and-settings.repository'
import { listKeyAlgorithms } from '../keys/repository'
import { type DeviceRow, getDevice } from './repository'
import { listTagsOfDevices } from './tags.repository'
import { deviceToJson } from './to-json'

/** Rows of one project as JSON, with the facts outside their rows. */
export const completeDevices = async (tx: Tx, projectId: string, rows: readonly DeviceRow[], now: Date): Promise<Device[]> => {
  const { polling_interval_s: pollS } = await getProjectSettings(tx, projectId)
  const tagged = await listTagsOfDevices(
    tx,
    rows.map(({ id }) => id),
  )
  const algorithms = await listKeyAlgorithms(tx, projectId)
  return rows.map((row) => deviceToJson(row, { pollS, now, tags: tagged.get(row.id) ?? [], algorithms }))
}

export const completeDevice = async (tx: Tx, row: DeviceRow, now: Date): Promise<Device> => {
  const [device] = await completeDevices(tx, row.projectId, [row], now)
  if (!device) throw new Error('a device row gave no device')
  return device
}

/** One device as JSON. */
export const readDevice = async (tx: Tx, id: string, now: Date): Promise<Device> =>
  completeDevice(tx, await getDevice(tx, id), now)
