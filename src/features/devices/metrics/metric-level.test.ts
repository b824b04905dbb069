import { expect, it } from 'vitest'
import type { Health } from '../../../../contract/fleet/devices'
import { findMetricLevel } from './metric-level'

const at = '2026-06-02T12:00:00+00:00'
const metrics = [
  { name: 'cpu', at },
  { name: 'memory', at },
  { name: 'disk', at },
]
const threshold = { warning: 80, critical: 90, clear_after_s: 300 }
const health = (status: Health['status'], ...limits: [metric: string, threshold: number][]): Health => ({
  status,
  reasons: limits.map(([metric, limit]) => ({ metric, value: 99, threshold: limit, since: at })),
})
const levels = (of: Health, limits = threshold) => metrics.map(({ name }) => findMetricLevel(of, name, limits, metrics))

it('each metric has the level of the limit that it exceeds', () => {
  expect(levels(health('critical', ['memory', 90], ['cpu', 80]))).toEqual(['warning', 'critical', 'healthy'])
  expect(levels(health('critical', ['memory', 90], ['cpu', 90]))).toEqual(['critical', 'critical', 'healthy'])
})

it('a metric that makes a device critical or a warning has that level, also after its limits were changed', () => {
  expect(levels(health('critical', ['cpu', 90]), { ...threshold, critical: 95 })[0]).toBe('critical')
  expect(levels(health('warning', ['cpu', 80], ['disk', 80]), { ...threshold, warning: 60, critical: 70 })).toEqual([
    'warning',
    'healthy',
    'warning',
  ])
})

it('the level of a metric is unknown while the device is silent, without a value, and a day after its last one', () => {
  expect(levels(health('unknown'))).toEqual(['unknown', 'unknown', 'unknown'])
  expect(findMetricLevel(health('healthy'), 'gpu', threshold, metrics)).toBe('unknown')
  const other = { name: 'gpu', at: '2026-06-01T12:00:00+00:00' }
  expect(findMetricLevel(health('healthy'), 'gpu', threshold, [...metrics, other])).toBe('healthy')
  const old = { name: 'gpu', at: '2026-06-01T11:59:59+00:00' }
  expect(findMetricLevel(health('healthy'), 'gpu', threshold, [...metrics, old])).toBe('unknown')
})
