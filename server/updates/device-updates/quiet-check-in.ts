import type { CheckInBody } from '../../../contract/device/api'
import { connectivityOf } from '../../fleet/devices/state/connectivity'
import { pollingColumns } from '../../fleet/devices/polling'
import { type CheckInFacts, compareReported, compareRunning } from '../../fleet/devices/reported'
import { isKnownOrigin } from '../../fleet/devices/tokens/token-sharing'

type Caller = { address: string; projectS: number; now: Date }

const isEmpty = (changes: object) => Object.keys(changes).length === 0

/**
 * Whether a check-in changes nothing but the time of the last contact. A device that the database does not show as online is
 * none of these: that it is back is news.
 */
export const isQuiet = (device: CheckInFacts, body: CheckInBody, { address, projectS, now }: Caller): boolean =>
  device.firstSeenAt !== null &&
  device.enrolledAt !== null &&
  connectivityOf(device.lastSeenAt, device.pollingIntervalS ?? projectS, now) === 'online' &&
  body.battery_percent === undefined &&
  isKnownOrigin(device, address, body.boot_id) &&
  isEmpty(compareReported(device, body)) &&
  isEmpty(compareRunning(device, body)) &&
  isEmpty(pollingColumns(device, body.polling_interval_s, projectS))
