import { readFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'

/** More would not tell a slow test from one that waits for something that never comes. */
const SLOWEST = 12

/** How many times longer than on an idle machine work takes: the programs that want to run for each core, at least 1. */
export const slowness = (load = loadavg()[0] ?? 0, cores = availableParallelism()): number =>
  Math.min(SLOWEST, Math.max(1, load / cores))

/** A limit of a wait, in milliseconds, on this machine with what else runs on it. The waits themselves end with their condition. */
export const within = (ms: number): number => Math.ceil(ms * slowness())

/** How often it looks, in milliseconds. */
const EVERY = 250

/** The first line of /proc/stat (proc(5)): the times of all cores since the start, in ticks. None where there is no such file. */
const readTimes = (): number[] => {
  try {
    return (/^cpu +(.*)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1] ?? '').split(' ').map(Number)
  } catch {
    return []
  }
}

/**
 * Watches the machine from now on. The returned function ends that and says how busy it was: a test that failed while the machine
 * stood still, or gave its processors to others, is known by this line.
 */
export const watchMachine = (): (() => string) => {
  const before = readTimes()
  let longest = 0
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last - EVERY)
    last = now
  }, EVERY).unref()
  return () => {
    clearInterval(timer)
    const spent = readTimes().map((ticks, n) => ticks - (before[n] ?? 0))
    // Without the two last ones, which the first two contain.
    const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0, interrupts = 0, soft = 0, steal = 0] = spent
    const all = user + nice + system + idle + waiting + interrupts + soft + steal
    const share = (ticks: number) => `${Math.round((100 * ticks) / Math.max(1, all))} %`
    const times =
      spent.length < 8 ? [] : [`idle ${share(idle)}`, `waiting for disks ${share(waiting)}`, `taken away ${share(steal)}`]
    return [
      'machine:',
      [`${availableParallelism()} cores`, ...times, `longest pause ${(longest / 1000).toFixed(1)} s`].join(', '),
    ].join(' ')
  }
}
