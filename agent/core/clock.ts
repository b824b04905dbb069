/**
 * The time for checks of expiry. A device may start in 1970, so the clock is never behind what is known: the signing time of a
 * trusted manifest (stored), and the server's dates since the start (not stored, because an answer is not signed and a wrong date
 * must end with the process).
 */
export type Clock = {
  now: () => number
  /** A date of the server. */
  atLeast: (ms: number) => void
  /** The time of the server at a check-in. One that is earlier than its former dates corrects them: they were wrong. */
  follow: (ms: number) => void
}

/** 2100-01-01: later times are invalid, and very large ones cannot be formatted. */
const latest = Date.UTC(2100, 0, 1)
/** An earlier time belongs to a clock that was never set. */
const earliest = Date.UTC(2025, 0, 1)
const day = 86_400_000
/** Dates of one server differ by less: they have whole seconds, and answers take time. */
const tolerance = 60_000

const elapsed = () => performance.now()

/**
 * The time that a signature proves to be past, to be stored. The clock where it was signed may have been far ahead, and every later
 * manifest would look expired for good: a device whose clock is set believes only one day of it.
 */
export const signedFloor = (signedMs: number, nowMs: number): number =>
  Math.min(signedMs, nowMs < earliest ? latest : nowMs + day)

export const clockFrom = (signedFloorMs: number, wall: () => number = Date.now): Clock => {
  const started = elapsed()
  let floor = signedFloorMs
  let since = started
  const reached = () => floor + (elapsed() - since)
  const set = (ms: number) => {
    floor = ms
    since = elapsed()
  }
  const atLeast = (ms: number) => {
    if (ms > reached() && ms < latest) set(ms)
  }
  return {
    now: () => Math.floor(Math.max(wall(), reached())),
    atLeast,
    follow: (ms) => {
      if (ms < reached() - tolerance) set(Math.max(ms, signedFloorMs + (elapsed() - started)))
      else atLeast(ms)
    },
  }
}
