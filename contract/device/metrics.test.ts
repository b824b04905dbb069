import fc from 'fast-check'
import { array, create, object, size, type Struct, StructError } from 'superstruct'
import { expect, it } from 'vitest'
import '../../tests/support/fixed-seed'
import { MetricPoint, MetricsBody } from './api'

// Without the quick check.
const Points = object({ points: size(array(MetricPoint), 1, 2000) })

const outcome = <T, S>(value: unknown, struct: Struct<T, S>) => {
  try {
    return create(value, struct)
  } catch (error) {
    if (error instanceof StructError) return 'refused'
    throw error
  }
}

it('a batch of points is accepted, trimmed or refused as by the struct alone, whether the quick check knows its form or not', () => {
  const names = fc.constantFrom('load.1m', 'cpu.usage_percent', 'Load', '1m', '', 'a'.repeat(64), 'net.eth0.rx_bytes_total')
  const units = fc.constantFrom('%', 'By', ' % ', '', 'a\u0000', 'a b', '\ud800', 'x'.repeat(17), '°C', null)
  const numbers = fc.constantFrom(0, -0, 1.5, -1, 1e300, Number.NaN, Number.POSITIVE_INFINITY, 8_640_000_000_000_001, '1', null)
  const point = fc.record(
    { name: names, unit: units, ts_ms: fc.oneof(fc.constant(1_780_000_000_000), numbers), value: numbers, more: fc.constant(1) },
    { requiredKeys: ['ts_ms'], noNullPrototype: true },
  )
  const usual = fc.record(
    {
      name: fc.constant('load.1m'),
      unit: fc.constant('%'),
      ts_ms: fc.constant(1_780_000_000_000),
      value: fc.double({ noNaN: true, noDefaultInfinity: true }),
    },
    { noNullPrototype: true },
  )
  const points = fc.array(fc.oneof({ weight: 8, arbitrary: usual }, point), { maxLength: 6 })
  const body = fc.record({ points, series: fc.constant({}) }, { requiredKeys: ['points'], noNullPrototype: true })
  fc.assert(
    fc.property(body, (value) => {
      expect(outcome(value, MetricsBody)).toEqual(outcome(value, Points))
    }),
    { numRuns: 2000 },
  )
})

it('a batch of more than 2000 points is refused', () => {
  const point = { name: 'load.1m', unit: '1', ts_ms: 1_780_000_000_000, value: 1 }
  expect(outcome({ points: Array.from({ length: 2000 }, () => point) }, MetricsBody)).not.toBe('refused')
  expect(outcome({ points: Array.from({ length: 2001 }, () => point) }, MetricsBody)).toBe('refused')
  expect(outcome({ points: [] }, MetricsBody)).toBe('refused')
})
