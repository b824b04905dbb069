const DAY_MS = 86_400_000
const WEEKS_MS = 21 * DAY_MS

/** A clock that begins three weeks ago and is moved from one deed to the next, so that the audit log reads like one. */
export const pastClock = (start: Date) => {
  let at = new Date(start.getTime() - WEEKS_MS)
  return {
    clock: () => at,
    /** To so many days before the start, at an hour when people work; never back. */
    daysAgo: (days: number, hour: number, minute = 0) => {
      const moment = new Date(start.getTime() - days * DAY_MS)
      moment.setUTCHours(hour, minute, 17)
      at = moment > at && moment < start ? moment : new Date(Math.min(at.getTime() + 61_000, start.getTime()))
    },
  }
}

export type Past = ReturnType<typeof pastClock>
