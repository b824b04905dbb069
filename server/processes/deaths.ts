const WINDOW_MS = 60_000
const MOST = 5
const FIRST_WAIT_MS = 100

export type Death = { count: number; isLast: boolean; waitMs: number }

/** Counts unexpected ends of hosts within a minute. Each one doubles the delay of the next start; the fifth is the last. */
export const createDeathCount = (now: () => number = Date.now) => {
  let times: number[] = []
  return (): Death => {
    const at = now()
    times = [...times.filter((time) => at - time < WINDOW_MS), at]
    return { count: times.length, isLast: times.length >= MOST, waitMs: FIRST_WAIT_MS * 2 ** (times.length - 1) }
  }
}
