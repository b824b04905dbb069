/**
 * The time for checks of expiry. A device may start in 1970, so the clock is never behind what is known for certain: the
 * signing time of a trusted manifest (stored), and the server's dates since the start (not stored, because an answer is not
 * signed and a wrong date must end with the process).
 */
export type Clock = { now: () => number; atLeast: (ms: number) => void }

/** 2100-01-01: later times are invalid, and very large ones cannot be formatted. */
const latest = Date.UTC(2100, 0, 1)

const elapsed = () => performance.now()

export const clockFrom = (signedFloorMs: number, wall: () => number = Date.now): Clock => {
  let floor = signedFloorMs
  let since = elapsed()
  const reached = () => floor + (elapsed() - since)
  return {
    now: () => Math.floor(Math.max(wall(), reached())),
    atLeast: (ms) => {
      if (!(ms > reached() && ms < latest)) return
      floor = ms
      since = elapsed()
    },
  }
}
