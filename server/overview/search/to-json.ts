import type { DeviceHit, FoundProject, ProjectHit, ReleaseHit } from '../../../contract/overview/search'
import { formatTimestampOrNull } from '../../core/timestamps'
import { connectivityOf } from '../../fleet/devices/state/connectivity'
import type { SeenProject } from '../visible'
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

export const releaseHitToJson = ({ id, name, version, displayVersion, state }: MatchingRelease): ReleaseHit => ({
  kind: 'release',
  id,
  name,
  version,
  display_version: displayVersion,
  state,
})

export const projectHitToJson = ({ id, name }: SeenProject): ProjectHit => ({ kind: 'project', id, name })

export const foundProjectToJson = ({ id, name, organization }: SeenProject): FoundProject => ({
  id,
  name,
  organization: organization && { public_id: organization.publicId, name: organization.name },
})
