import { daysBefore } from '../core/days'

/** A clock that starts three weeks ago and is set before each action, so that the audit log has realistic times. */
export const createPastClock = (start: Date) => {
  let at = daysBefore(start, 21)
  return {
    clock: () => at,
    /** Moves to so many days before the start, at this working hour; never backwards. */
    daysAgo: (days: number, hour: number, minute = 0) => {
      const moment = daysBefore(start, days)
      moment.setUTCHours(hour, minute, 17)
      at = moment > at && moment < start ? moment : new Date(Math.min(at.getTime() + 61_000, start.getTime()))
    },
  }
}

export type PastClock = ReturnType<typeof createPastClock>
