import { expect, it } from 'vitest'
import { type Bucket, takeTokens } from './bucket'

const at = (ms: number) => new Date(ms)
const full: Bucket = { tokens: 500, refilledAt: at(0) }

it('T-19: accepts a burst of 500 and no more', () => {
  expect(takeTokens(full, 1000, at(0))).toMatchObject({ taken: 500, tokens: 0 })
})

it('T-19: accepts 50 per second without an end', () => {
  let bucket: Bucket = { tokens: 0, refilledAt: at(0) }
  let taken = 0
  for (let second = 1; second <= 60; second++) {
    const next = takeTokens(bucket, 1000, at(second * 1000))
    taken += next.taken
    bucket = next
  }
  expect(taken).toBe(3000)
})

it('fills up to the burst and not beyond', () => {
  expect(takeTokens({ tokens: 0, refilledAt: at(0) }, 0, at(3_600_000)).tokens).toBe(500)
})

it('returns a waiting time only after a refusal', () => {
  expect(takeTokens(full, 500, at(0)).nextAllowedMs).toBe(0)
  expect(takeTokens(full, 501, at(0)).nextAllowedMs).toBe(1000)
})

it('does not empty when the clock goes back', () => {
  expect(takeTokens({ tokens: 10, refilledAt: at(5000) }, 0, at(0)).tokens).toBe(10)
})
