import { setTimeout as pause } from 'node:timers/promises'

/** Reads until `isOver`; undefined when the time is over first. */
export const readUntil = async <T>(
  read: () => Promise<T>,
  { isOver, everyMs, timeoutS }: { isOver: (value: T) => boolean; everyMs: number; timeoutS: number },
): Promise<{ value: T; timedOut: boolean }> => {
  const end = performance.now() + timeoutS * 1000
  for (;;) {
    const value = await read()
    if (isOver(value)) return { value, timedOut: false }
    const left = end - performance.now()
    if (left <= 0) return { value, timedOut: true }
    await pause(Math.min(everyMs, left))
  }
}
