import type { Device } from '../../../contract/fleet/devices'
import type { ProjectRead } from '../../core/http/scope'
import { listKeyAlgorithms } from '../keys/repository'
import { type DeviceRow, getDevice } from './repository'
import { findRevokedReleases } from './revoked.repository'
import { listTagsOfDevices } from './tags.repository'
import { deviceToJson } from './to-json'

/** Rows of one project as JSON, with the facts outside their rows. */
export const completeDevices = async ({ tx, project, now }: ProjectRead, rows: readonly DeviceRow[]): Promise<Device[]> => {
  const tagged = await listTagsOfDevices(
    tx,
    rows.map(({ id }) => id),
  )
  const algorithms = await listKeyAlgorithms(tx, project.id)
  const revoked = await findRevokedReleases(tx, project.id, rows)
  const known = { settings: project.settings, now, algorithms, revoked }
  return rows.map((row) => deviceToJson(row, { ...known, tags: tagged.get(row.id) ?? [] }))
}

export const completeDevice = async (read: ProjectRead, row: DeviceRow): Promise<Device> => {
  const [device] = await completeDevices(read, [row])
  if (!device) throw new Error('a device row gave no device')
  return device
}

/** One device as JSON. */
export const readDevice = async (read: ProjectRead, id: string): Promise<Device> =>
  completeDevice(read, await getDevice(read.tx, id))
