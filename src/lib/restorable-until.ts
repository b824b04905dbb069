import { deletedDeviceDays } from '../../contract/fleet/devices'
import { parseTime } from './dates'

/** Until when a device that was deleted then can be restored. */
export const restorableUntil = (deletedAt: string): Date => {
  const until = parseTime(deletedAt)
  until.setUTCDate(until.getUTCDate() + deletedDeviceDays)
  return until
}
