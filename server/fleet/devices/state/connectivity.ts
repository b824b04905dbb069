import { grace, limitMs } from '../../../../contract/fleet/connectivity'
import type { Connectivity } from '../../../../contract/fleet/devices'

/** A change of connectivity or health is announced as an event after so many polls. */
export const eventPolls = 2

/** Computed on read, never by a job. */
export const connectivityOf = (lastSeenAt: Date | null, pollS: number, now: Date): Connectivity => {
  if (lastSeenAt === null) return 'never_seen'
  const silence = now.getTime() - lastSeenAt.getTime()
  if (silence <= limitMs(pollS, grace.online)) return 'online'
  return silence <= limitMs(pollS, grace.late) ? 'late' : 'offline'
}
