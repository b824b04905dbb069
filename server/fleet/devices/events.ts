import type { DeviceRef } from '../../../contract/accounts/events'
import type { Tx } from '../../core/database/tx'
import { emitEvents, type NewEvent } from '../../core/events/emit'
import type { DeviceRow } from './repository'

export const deviceRef = ({ id, name, serialNumber }: Pick<DeviceRow, 'id' | 'name' | 'serialNumber'>): DeviceRef => ({
  id,
  name,
  serial_number: serialNumber,
})

type DeviceEventType = 'device.enrolled' | 'device.pending' | 'device.decommissioned'
type Subject = Pick<DeviceRow, 'id' | 'name' | 'serialNumber' | 'projectId' | 'hardwareModel'>

/** `by`: the name of the person who caused it. */
export const deviceEvent = (type: DeviceEventType, device: Subject, by: string | null): NewEvent => ({
  projectId: device.projectId,
  type,
  data: { device: deviceRef(device), hardware_model: device.hardwareModel, by },
})

export const emitDeviceEvent = (tx: Tx, type: DeviceEventType, device: Subject, by: string | null, now: Date): Promise<void> =>
  emitEvents(tx, [deviceEvent(type, device, by)], now)

/** A new device that its enrollment lets in, or that waits for acceptance. */
export const emitEnrolled = (tx: Tx, device: DeviceRow, now: Date): Promise<void> =>
  emitDeviceEvent(tx, device.lifecycle === 'pending' ? 'device.pending' : 'device.enrolled', device, null, now)
