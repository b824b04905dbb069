import type { Connectivity } from '../../../contract/devices'

/** A device is `online` for 1.5 polling intervals and a minute, `late` for 3 intervals and a minute. */
export const grace = { online: 1.5, late: 3, slackS: 60 } as const

/** A change of connectivity or health is announced as an event after so many polls. */
export const eventPolls = 2

export const limitMs = (pollS: number, polls: number) => (pollS * polls + grace.slackS) * 1000

/** Computed on read, never by a job. */
export const connectivityOf = (lastSeenAt: Date | null, pollS: number, now: Date): Connectivity => {
  if (lastSeenAt === null) return 'never_seen'
  const silence = now.getTime() - lastSeenAt.getTime()
  if (silence <= limitMs(pollS, grace.online)) return 'online'
  return silence <= limitMs(pollS, grace.late) ? 'late' : 'offline'
}
