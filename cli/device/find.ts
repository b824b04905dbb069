import { type Device, device } from '../../contract/fleet/devices'
import type { Context } from '../core/context'
import { Failed } from '../core/errors'
import { isId } from '../core/ids'
import { listDevices } from './filter'

/** A device by its id, its serial number or its name. */
export const getDevice = async (context: Context, named: string): Promise<Device> => {
  if (isId(named)) return context.api.call(device, { deviceId: named })
  const found = await listDevices(context, { search: named }, Number.POSITIVE_INFINITY)
  const exact = found.filter(({ serial_number: serial, name }) => serial === named || name === named)
  const bySerial = exact.find(({ serial_number: serial }) => serial === named)
  const [only, ...others] = bySerial ? [bySerial] : exact
  if (!only) throw new Failed(`No device has the id, serial number or name ${named}`)
  if (others.length > 0) throw new Failed(`Several devices are named ${named}. Name one by its id or serial number`)
  return only
}
