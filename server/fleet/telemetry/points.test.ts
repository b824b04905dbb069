import { describe, expect, it } from 'vitest'
import { increase, isCounter, pointsOf, filterByTime } from './points'

const now = new Date('2026-05-01T12:00:00Z')
const point = (offsetMs: number) => ({ name: 'load.1m', unit: null, tsMs: now.getTime() + offsetMs, value: 1 })

describe('points', () => {
  it('are the same in columns and one by one', () => {
    const columns = pointsOf({ ts_ms: [1, 2], series: { a: [5, null], b: [6, 7] }, units: { a: '%' } })
    expect(columns).toEqual([
      { name: 'a', unit: '%', tsMs: 1, value: 5 },
      { name: 'b', unit: null, tsMs: 1, value: 6 },
      { name: 'b', unit: null, tsMs: 2, value: 7 },
    ])
  })

  it.each([
    [600_000, {}],
    [600_001, { in_the_future: 1 }],
    [-7 * 86_400_000, {}],
    [-7 * 86_400_000 - 1, { too_old: 1 }],
  ])('at %i ms from now have these reasons against them: %o', (offset, reasons) => {
    expect(filterByTime([point(offset)], now).reasons).toEqual(reasons)
  })

  it('come out in the order of time', () => {
    expect(filterByTime([point(2), point(1)], now).points.map(({ tsMs }) => tsMs - now.getTime())).toEqual([1, 2])
  })
})

it.each([
  ['net.eth0.rx_bytes_total', true],
  ['system.boot_count', true],
  ['system.process_count', false],
  ['memory.total_bytes', false],
])('%s is a counter: %s', (name, counter) => {
  expect(isCounter(name)).toBe(counter)
})

it('a counter that fell has started again', () => {
  expect([increase(10, 15), increase(10, 3)]).toEqual([5, 3])
})
