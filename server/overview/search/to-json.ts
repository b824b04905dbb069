import type { DeviceHit, ReleaseHit } from '../../../contract/search'
import { formatTimestampOrNull } from '../../core/timestamps'
import { connectivityOf } from '../../fleet/devices/connectivity'
import type { MatchingDevice, MatchingRelease } from './repository'

/** `pollS` is the project's polling interval. */
export const deviceHitToJson = (row: MatchingDevice, pollS: number, now: Date): DeviceHit => ({
  kind: 'device',
  id: row.id,
  name: row.name,
  serial_number: row.serialNumber,
  connectivity: connectivityOf(row.lastSeenAt, row.pollingIntervalS ?? pollS, now),
  last_seen_at: formatTimestampOrNull(row.lastSeenAt),
  version: row.version,
})

export const releaseHitToJson = ({ displayVersion, ...row }: MatchingRelease): ReleaseHit => ({
  kind: 'release',
  ...row,
  display_version: displayVersion,
})
