/**
 * The time to judge expiry by. A device may start in 1970, so the clock never runs behind what it has seen for certain:
 * when a manifest it once trusted was signed (kept), and what its server answered since the start (not kept, because an
 * answer is not signed and one wrong date must not outlive the process).
 */
export type Clock = { now: () => number; atLeast: (ms: number) => void }

/** 2100-01-01: a time beyond it is no time, and one far beyond cannot even be written down. */
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
