import type { DeviceRef } from '../../../contract/events'
import type { Tx } from '../../core/database/tx'
import { emitEvent } from '../../core/events/emit'
import type { DeviceRow } from './repository'

export const deviceRef = ({ id, name, serialNumber }: Pick<DeviceRow, 'id' | 'name' | 'serialNumber'>): DeviceRef => ({
  id,
  name,
  serial_number: serialNumber,
})

/** `by`: the name of the person who caused it. */
export const emitDeviceEvent = (
  tx: Tx,
  type: 'device.enrolled' | 'device.pending' | 'device.decommissioned',
  device: Pick<DeviceRow, 'id' | 'name' | 'serialNumber' | 'projectId' | 'hardwareModel'>,
  by: string | null,
  now: Date,
): Promise<void> => {
  const data = { device: deviceRef(device), hardware_model: device.hardwareModel, by }
  return emitEvent(tx, { projectId: device.projectId, type, data }, now)
}

/** A new device that its enrollment lets in, or that waits for acceptance. */
export const emitEnrolled = (tx: Tx, device: DeviceRow, now: Date): Promise<void> =>
  emitDeviceEvent(tx, device.lifecycle === 'pending' ? 'device.pending' : 'device.enrolled', device, null, now)
