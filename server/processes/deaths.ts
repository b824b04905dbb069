const WINDOW_MS = 60_000
const MOST = 5
const FIRST_WAIT_MS = 100

export type Death = { count: number; isLast: boolean; waitMs: number }

/** Counts how often hosts ended unasked within a minute. Each time the next start waits twice as long; the fifth is the last. */
export const createDeathCount = (now: () => number = Date.now) => {
  let times: number[] = []
  return (): Death => {
    const at = now()
    times = [...times.filter((time) => at - time < WINDOW_MS), at]
    return { count: times.length, isLast: times.length >= MOST, waitMs: FIRST_WAIT_MS * 2 ** (times.length - 1) }
  }
}
