import { randomInt } from 'node:crypto'

/** Within so many milliseconds. */
const latestMs = 500

type Host = { addHook: (name: 'onClose', hook: () => Promise<void>) => unknown }

/**
 * Runs work that the answer does not wait for at a random moment: right after the answer it would slow down the next request of
 * the same visitor, which would tell that there was any (T-13). When the host closes, it runs what is left.
 */
export const createLateWork = (
  host: Host,
  delay: () => number = () => randomInt(latestMs),
): ((work: () => Promise<void>) => void) => {
  const left = new Map<NodeJS.Timeout, () => Promise<void>>()
  const running = new Set<Promise<void>>()
  const run = (timer: NodeJS.Timeout, work: () => Promise<void>) => {
    clearTimeout(timer)
    left.delete(timer)
    const one = work().finally(() => running.delete(one))
    running.add(one)
  }
  host.addHook('onClose', async () => {
    for (const [timer, work] of left) run(timer, work)
    await Promise.all(running)
  })
  return (work) => {
    const timer = setTimeout(() => run(timer, work), delay())
    left.set(timer, work)
  }
}
