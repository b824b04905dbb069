import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defaultGate, defaultWaves, isShareWave, type Wave } from '../../../../contract/updates/rollout-plans'
import { bounds, divideByTag, plan, type Tagged, waveNumber, waveOfLatecomer } from './waves'
import '../../../../tests/support/fixed-seed'

const rollout = '01JNV4E3S0000000000000R011'
const fleet = (size: number) => Array.from({ length: size }, (_, n) => `01JNV4E3S0000000000${String(n).padStart(7, '0')}`)
const percent = (value: number): Wave => ({ kind: 'percent', value, gate: defaultGate })

/** Ranks a fleet as the database does; tests/api/large-rollouts.test.ts compares the two. */
const planFleet = (ids: readonly string[], waves: readonly Wave[], tagged: Tagged = new Map()) => {
  const { byWave, rest } = divideByTag(ids, waves, tagged)
  const numbers = new Map(ids.map((id) => [id, waveNumber(rollout, id)]))
  const numberOf = (id: string) => numbers.get(id) ?? 0
  const ranked = rest.toSorted((a, b) => numberOf(a) - numberOf(b) || (a < b ? -1 : 1))
  const below = bounds(waves.filter(isShareWave), rest.length).map((bound) => rest.filter((id) => numberOf(id) < bound).length)
  return plan(ranked, below, waves, byWave)
}
const counts = (size: number, waves = defaultWaves) => planFleet(fleet(size), waves).map(({ deviceIds }) => deviceIds.length)

it('takes the first 32 bits of the hash, mod 10000', () => {
  const [id = ''] = fleet(1)
  const hex = createHash('sha256').update(`${rollout}:${id}`).digest('hex')
  expect(waveNumber(rollout, id)).toBe(Number.parseInt(hex.slice(0, 8), 16) % 10_000)
})

describe('small fleets are divided by rank', () => {
  it.each([
    [1, [1]],
    [2, [1, 1]],
    [10, [1, 4, 5]],
    [100, [1, 9, 40, 50]],
    [1000, [10, 90, 400, 500]],
  ])('%i devices in waves of %j', (size, expected) => expect(counts(size)).toEqual(expected))

  it('10 % of 10 is exactly 1', () => expect(counts(10, [percent(10), percent(100)])).toEqual([1, 9]))
})

it('merges empty waves, and keeps the gate of the wave with devices', () => {
  const waves = [percent(10), percent(20), percent(100)].map((wave, n) => ({ ...wave, gate: { ...defaultGate, soak_s: n } }))
  expect(planFleet(fleet(2), waves).map(({ wave, percent: share }) => [wave.gate.soak_s, share])).toEqual([
    [0, 50],
    [2, 100],
  ])
})

it('counts devices where a wave is given in devices', () => {
  const waves: Wave[] = [{ kind: 'count', value: 3, gate: defaultGate }, percent(50), percent(100)]
  expect(counts(20, waves)).toEqual([3, 7, 10])
  expect(counts(2, waves)).toEqual([2])
})

it('large fleets are divided by hash: evenly, and stable when devices join or leave', () => {
  const of = (size: number) => {
    const waves = planFleet(fleet(size), defaultWaves)
    return new Map(waves.flatMap(({ deviceIds }, n) => deviceIds.map((id) => [id, n + 1] as const)))
  }
  const [before, after] = [of(20_000), of(20_100)]
  for (const [id, wave] of before) expect(after.get(id)).toBe(wave)
  const sizes = counts(20_000)
  for (const [n, share] of [200, 1800, 8000, 10_000].entries()) expect(Math.abs((sizes[n] ?? 0) - share)).toBeLessThan(300)
})

it('a device that joins later gets the wave of its hash', () => {
  const [id = ''] = fleet(1)
  const share = waveNumber(rollout, id) / 100
  const stored = (first: number) => [
    { n: 1, percent: first, tag: null, share: first },
    { n: 2, percent: 100, tag: null, share: 100 },
  ]
  expect(waveOfLatecomer(rollout, id, stored(share + 0.01))).toBe(1)
  expect(waveOfLatecomer(rollout, id, stored(share))).toBe(2)
})

it('a device that joins later gets the wave of its tag, and without one that of its hash among the other waves', () => {
  const [id = ''] = fleet(1)
  const share = waveNumber(rollout, id) / 100
  const stored = [
    { n: 1, percent: 5, tag: 'canary', share: null },
    { n: 2, percent: 40, tag: null, share },
    { n: 3, percent: 60, tag: 'slow', share: null },
    { n: 4, percent: 100, tag: null, share: 100 },
  ]
  expect(waveOfLatecomer(rollout, id, stored)).toBe(4)
  expect(waveOfLatecomer(rollout, id, stored, new Set(['slow']))).toBe(3)
  expect(waveOfLatecomer(rollout, id, stored, new Set(['slow', 'canary']))).toBe(1)
})

const tagWave = (value: string): Wave => ({ kind: 'tag', value, gate: defaultGate })

it('a tag wave has the devices with its tag, and the shares divide the others', () => {
  const ids = fleet(12)
  const tagged = new Map([
    ['canary', new Set(ids.slice(0, 2))],
    ['slow', new Set(ids.slice(1, 4))],
    ['nobody', new Set<string>()],
  ])
  const waves = [tagWave('canary'), percent(25), tagWave('nobody'), percent(100), tagWave('slow')]
  const planned = planFleet(ids, waves, tagged)
  expect(planned.map(({ position, deviceIds, percent: end, share }) => [position, deviceIds.length, end, share])).toEqual([
    [1, 2, 16.67, null],
    [2, 2, 33.33, 25],
    [4, 6, 83.33, 100],
    [5, 2, 100, null],
  ])
  expect(planned[0]?.deviceIds).toEqual(ids.slice(0, 2))
  expect(planned[3]?.deviceIds).toEqual(ids.slice(2, 4))
})

it('puts every device into exactly one wave, whatever the waves are', () => {
  const shares = fc.uniqueArray(fc.integer({ min: 1, max: 99 }), { maxLength: 19 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1500 }), shares, (size, values) => {
      const waves = [...values.toSorted((a, b) => a - b), 100].map(percent)
      const planned = planFleet(fleet(size), waves)
      expect(planned.flatMap(({ deviceIds }) => deviceIds).toSorted()).toEqual(fleet(size))
      expect(planned.every(({ deviceIds }) => deviceIds.length > 0)).toBe(true)
      expect(planned.at(-1)?.percent).toBe(100)
    }),
    { numRuns: 60 },
  )
})
