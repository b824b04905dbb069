/** A clock for delays that can be paused and advanced by hand. In either mode a pending delay keeps its remaining time. */
export type SteppedClock = {
  setTimeout: (run: () => void, delay: number) => number
  clearTimeout: (id: number) => void
  now: () => number
  held: () => boolean
  hold: () => void
  release: () => void
  /** Advances a paused clock: delays that become due run in order, including new ones. */
  step: (ms: number) => void
  subscribe: (changed: () => void) => () => void
}

type Timer = { run: () => void; due: number; real?: ReturnType<typeof setTimeout> }

export const createSteppedClock = (real: () => number = () => performance.now()): SteppedClock => {
  const timers = new Map<number, Timer>()
  const listeners = new Set<() => void>()
  let last = 0
  let behind = 0
  let heldAt: number | undefined
  const now = () => heldAt ?? real() - behind
  const notifyListeners = () => listeners.forEach((listener) => listener())
  const fire = (id: number, { run }: Timer) => {
    timers.delete(id)
    run()
  }
  const arm = (id: number, timer: Timer) => {
    timer.real = setTimeout(() => fire(id, timer), Math.max(0, timer.due - now()))
  }
  const firstDue = (until: number) =>
    [...timers].filter(([, { due }]) => due <= until).toSorted(([, a], [, b]) => a.due - b.due)[0]
  return {
    now,
    held: () => heldAt !== undefined,
    setTimeout: (run, delay) => {
      const timer: Timer = { run, due: now() + delay }
      last += 1
      timers.set(last, timer)
      if (heldAt === undefined) arm(last, timer)
      return last
    },
    clearTimeout: (id) => {
      clearTimeout(timers.get(id)?.real)
      timers.delete(id)
    },
    hold: () => {
      heldAt ??= now()
      for (const { real: armed } of timers.values()) clearTimeout(armed)
      notifyListeners()
    },
    release: () => {
      if (heldAt === undefined) return
      behind = real() - heldAt
      heldAt = undefined
      timers.forEach((timer, id) => arm(id, timer))
      notifyListeners()
    },
    step: (ms) => {
      if (heldAt === undefined) return
      const until = heldAt + ms
      for (let next = firstDue(until); next; next = firstDue(until)) {
        heldAt = Math.max(heldAt, next[1].due)
        fire(...next)
      }
      heldAt = until
      notifyListeners()
    },
    subscribe: (changed) => {
      listeners.add(changed)
      return () => listeners.delete(changed)
    },
  }
}
