import { describe, expect, it } from 'vitest'
import { spanOf, timesOf, parseSeries } from './buckets'

const hour = 3_600_000

describe('buckets', () => {
  it.each([
    [hour, 30],
    [24 * hour, 900],
    [7 * 24 * hour, 3600],
    [30 * 24 * hour, 10_800],
    [365 * 24 * hour, 86_400],
  ])('of %i ms are %i s long by default', (length, stepS) => {
    expect(spanOf({ from: 0, to: length }, 10).stepS).toBe(stepS)
  })

  it('are never shorter than what is kept', () => {
    expect(spanOf({ from: 0, to: hour, step_s: 10 }, 60).stepS).toBe(60)
  })

  it('begin and end on a multiple of the step', () => {
    const span = spanOf({ from: 61_000, to: 179_000, step_s: 60 }, 10)
    expect(timesOf(span)).toEqual([60_000, 120_000])
  })

  it('are at most 1,000', () => {
    expect(() => spanOf({ from: 0, to: 10_001_000, step_s: 10 }, 10)).toThrow()
    expect(timesOf(spanOf({ from: 0, to: 10_000_000, step_s: 10 }, 10))).toHaveLength(1000)
  })

  it.each([
    [5, 5],
    [6, 5],
  ])('do not run backwards, from %i to %i', (from, to) => {
    expect(() => spanOf({ from, to }, 10)).toThrow()
  })
})

describe('series', () => {
  it('return each name with each aggregation once', () => {
    expect(parseSeries({ names: 'a, b,a', agg: 'p50,p95' })).toEqual({ names: ['a', 'b'], aggs: ['p50', 'p95'] })
  })

  it('are at most 20', () => {
    expect(() => parseSeries({ names: 'a,b,c,d,e', agg: 'avg,min,max,p50,p95' })).toThrow()
  })

  it('accept known aggregations only', () => {
    expect(() => parseSeries({ names: 'a', agg: 'p99' })).toThrow()
  })
})
