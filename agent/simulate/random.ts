/** A seeded random generator: the same seed and name give the same numbers. */
export type Random = {
  /** 0 ≤ x < 1 */
  next: () => number
  between: (from: number, to: number) => number
  whole: (from: number, to: number) => number
  chance: (probability: number) => boolean
  normal: () => number
  /** How many events happen when `mean` are expected. */
  poisson: (mean: number) => number
  pick: <T>(from: readonly [T, ...T[]]) => T
}

const hash = (text: string): number => {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return value >>> 0
}

export const randomOf = (seed: string | number, name: string): Random => {
  let state = hash(`${seed}/${name}`)
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
  const poisson = (mean: number) => {
    const limit = Math.exp(-mean)
    let count = 0
    for (let product = next(); product > limit && count < 10_000; product *= next()) count++
    return count
  }
  return {
    next,
    between: (from, to) => from + (to - from) * next(),
    whole: (from, to) => Math.floor(from + (to - from + 1) * next()),
    chance: (probability) => next() < probability,
    normal,
    poisson,
    pick: (from) => from[Math.floor(next() * from.length)] ?? from[0],
  }
}
