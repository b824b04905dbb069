import { createHash } from 'node:crypto'
import { isShareWave, type ShareWave, type Wave } from '../../../../contract/updates/rollout-plans'

/** Up to here a share is taken by rank, so that 10 % of 10 is exactly 1; in larger fleets the number itself decides. */
const smallFleet = 1000

/** 0..9999, the same at every call, evenly distributed: the first 32 bits of SHA-256(`rollout:device`) mod 10000. */
export const waveNumber = (rolloutId: string, deviceId: string): number =>
  createHash('sha256').update(`${rolloutId}:${deviceId}`).digest().readUInt32BE(0) % 10_000

/**
 * `percent`: cumulative share of all devices; `share`: of those that are in no tag wave, null in a tag wave; `position`: in the
 * plan, counted from 1; `rankedUpTo`: how many devices of no tag wave are in it and the share waves before it.
 */
export type Planned = {
  wave: Wave
  position: number
  percent: number
  share: number | null
  rankedUpTo: number
  deviceIds: string[]
}
/** The devices of each tag wave, by tag. */
export type Tagged = ReadonlyMap<string, ReadonlySet<string>>

/** Where each wave ends, in devices of a ranked fleet. Waves are cumulative and never shrink; the last one takes all. */
const rankEnds = (waves: readonly ShareWave[], total: number): number[] => {
  let last = 0
  return waves.map(({ kind, value }, n) => {
    const share = kind === 'percent' ? Math.ceil((total * value) / 100) : value
    last = n === waves.length - 1 ? total : Math.min(total, Math.max(last, share))
    return last
  })
}

/** Where each wave ends, as a bound of the number: for fleets in which ranks would shift with every added device. */
export const bounds = (waves: readonly ShareWave[], total: number): number[] => {
  let last = 0
  return waves.map(({ kind, value }, n) => {
    const share = kind === 'percent' ? value * 100 : (value / Math.max(1, total)) * 10_000
    last = n === waves.length - 1 ? 10_000 : Math.min(10_000, Math.max(last, share))
    return last
  })
}

const percentOf = (part: number, whole: number) => (whole === 0 ? 100 : Math.round((part / whole) * 10_000) / 100)

/** The devices of the tag waves: each is in the first of them whose tag it has. */
const takeTagged = (ids: readonly string[], waves: readonly Wave[], tagged: Tagged): Map<Wave, string[]> => {
  const left = new Set(ids)
  return new Map(
    waves.flatMap((wave): [Wave, string[]][] => {
      if (isShareWave(wave)) return []
      const own = tagged.get(wave.value)
      const taken = own ? [...left].filter((id) => own.has(id)) : []
      for (const id of taken) left.delete(id)
      return [[wave, taken]]
    }),
  )
}

/** The devices of a plan that are in no tag wave, and those of its tag waves. */
export const divideByTag = (ids: readonly string[], waves: readonly Wave[], tagged: Tagged) => {
  const byWave = takeTagged(ids, waves, tagged)
  const taken = new Set([...byWave.values()].flat())
  return { byWave, rest: taken.size === 0 ? ids : ids.filter((id) => !taken.has(id)) }
}

/**
 * Assigns devices to waves: `ranked` are the devices outside tag waves in the order of their numbers, `below` how many of them
 * are below each bound. Waves without devices are merged into the next one, so there may be fewer than requested.
 */
export const plan = (
  ranked: readonly string[],
  below: readonly number[],
  waves: readonly Wave[],
  byWave: ReadonlyMap<Wave, string[]> = new Map(),
): Planned[] => {
  const shares = waves.filter(isShareWave)
  const ends = ranked.length <= smallFleet ? rankEnds(shares, ranked.length) : below
  const total = ranked.length + [...byWave.values()].reduce((sum, ids) => sum + ids.length, 0)
  let end = 0
  return waves.flatMap((wave, n) => {
    const at = isShareWave(wave) ? shares.indexOf(wave) : -1
    const deviceIds = at < 0 ? (byWave.get(wave) ?? []) : ranked.slice(ends[at - 1] ?? 0, ends[at])
    if (deviceIds.length === 0) return []
    end += deviceIds.length
    const share = at < 0 ? null : percentOf(ends[at] ?? ranked.length, ranked.length)
    const rankedUpTo = at < 0 ? 0 : (ends[at] ?? ranked.length)
    return [{ wave, position: n + 1, percent: percentOf(end, total), share, rankedUpTo, deviceIds }]
  })
}

type StoredWave = { n: number; percent: number; tag: string | null; share: number | null }

/** The wave of a device that is added later: that of its tag, or its number compared with the shares of the waves. */
export const waveOfLatecomer = (
  rolloutId: string,
  deviceId: string,
  waves: readonly StoredWave[],
  tags: ReadonlySet<string> = new Set(),
): number => {
  const own = waves.find(({ tag }) => tag !== null && tags.has(tag))
  if (own) return own.n
  const number = waveNumber(rolloutId, deviceId)
  const shares = waves.filter(({ tag }) => tag === null)
  const found = shares.find(({ share, percent }) => number < (share ?? percent) * 100)
  return (found ?? shares.at(-1) ?? waves.at(-1))?.n ?? 1
}
