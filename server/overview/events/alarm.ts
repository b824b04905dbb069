/** Waits that can be cut short. */
export const createAlarm = () => {
  let rung = false
  let wake = () => {}
  return {
    ring: () => {
      rung = true
      wake()
    },
    /** Until it rings, or has rung since the last reset, but at most this long. */
    wait: (ms: number): Promise<void> =>
      rung
        ? Promise.resolve()
        : new Promise((resolve) => {
            const timer = setTimeout(resolve, ms)
            wake = () => {
              clearTimeout(timer)
              resolve()
            }
          }),
    reset: () => {
      rung = false
    },
  }
}
