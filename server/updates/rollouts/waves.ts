import { createHash } from 'node:crypto'
import type { Wave } from '../../../contract/rollout-plans'

/** Up to here a share is taken by rank, so that 10 % of 10 is exactly 1; in larger fleets the number itself decides. */
const smallFleet = 1000

/** 0..9999, the same at every call, evenly distributed: the first 32 bits of SHA-256(`rollout:device`) mod 10000. */
export const waveNumber = (rolloutId: string, deviceId: string): number =>
  createHash('sha256').update(`${rolloutId}:${deviceId}`).digest().readUInt32BE(0) % 10_000

export type Planned = { wave: Wave; percent: number; deviceIds: string[] }

/** Where each wave ends, in devices of a ranked fleet. Waves are cumulative and never shrink; the last one takes all. */
const rankEnds = (waves: readonly Wave[], total: number): number[] => {
  let last = 0
  return waves.map(({ kind, value }, n) => {
    const share = kind === 'percent' ? Math.ceil((total * value) / 100) : value
    last = n === waves.length - 1 ? total : Math.min(total, Math.max(last, share))
    return last
  })
}

/** Where each wave ends, as a bound of the number: for fleets in which ranks would shift with every added device. */
export const bounds = (waves: readonly Wave[], total: number): number[] => {
  let last = 0
  return waves.map(({ kind, value }, n) => {
    const share = kind === 'percent' ? value * 100 : (value / Math.max(1, total)) * 10_000
    last = n === waves.length - 1 ? 10_000 : Math.min(10_000, Math.max(last, share))
    return last
  })
}

/**
 * Assigns devices to waves: `ranked` are the devices in the order of their numbers, `below` how many of them are below each
 * bound. Waves without devices are merged into the next one, so there may be fewer than requested.
 */
export const plan = (ranked: readonly string[], below: readonly number[], waves: readonly Wave[]): Planned[] => {
  const total = ranked.length
  const ends = total <= smallFleet ? rankEnds(waves, total) : below
  return waves.flatMap((wave, n) => {
    const deviceIds = ranked.slice(ends[n - 1] ?? 0, ends[n])
    return deviceIds.length === 0 ? [] : [{ wave, percent: Math.round(((ends[n] ?? total) / total) * 10_000) / 100, deviceIds }]
  })
}

/** The wave of a device that is added later: its number compared with the shares of the waves. Counted from 1. */
export const waveOfLatecomer = (rolloutId: string, deviceId: string, percents: readonly number[]): number => {
  const number = waveNumber(rolloutId, deviceId)
  const found = percents.findIndex((percent) => number < percent * 100)
  return found < 0 ? percents.length : found + 1
}
