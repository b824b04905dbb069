import { describe, expect, it } from 'vitest'
import { initialMetricState, healthOf, nextMetricState, type MetricState } from './health'

const threshold = { warning: 80, critical: 90, clear_after_s: 300 }
const at = (second: number) => second * 1000
const after = (...values: [second: number, value: number][]): MetricState =>
  values.reduce<MetricState>((state, [second, value]) => nextMetricState(state, value, at(second), threshold), initialMetricState)

describe('the level of a metric', () => {
  it.each([
    [79.9, 'healthy'],
    [80, 'warning'],
    [89.9, 'warning'],
    [90, 'critical'],
  ] as const)('is, at %f, %s', (value, level) => {
    expect(after([0, value]).level).toBe(level)
  })

  it('rises at once, with the time', () => {
    expect(after([0, 85], [60, 95])).toEqual({ level: 'critical', since: at(60), easedAt: null })
  })

  it('does not fall before the value has been low for clear_after_s', () => {
    expect(after([0, 95], [60, 50], [359, 50]).level).toBe('critical')
    expect(after([0, 95], [60, 50], [360, 50])).toEqual(initialMetricState)
  })

  it('restarts the wait when the value rises in between', () => {
    expect(after([0, 95], [60, 50], [200, 95], [260, 50], [400, 50]).level).toBe('critical')
  })

  it('falls one level only, when the value is still high', () => {
    expect(after([0, 95], [60, 85], [360, 85])).toEqual({ level: 'warning', since: at(360), easedAt: null })
  })
})

describe('the health of a device', () => {
  const stamp = (moment: Date) => moment.toISOString()
  const metric = (name: string, level: MetricState['level']) => ({
    metric: name,
    value: 91,
    threshold,
    level,
    since: level === 'healthy' ? null : at(7),
    easedAt: null,
  })

  it('is unknown without a metric that has a threshold', () => {
    expect(healthOf([], stamp)).toEqual({ status: 'unknown', reasons: [] })
  })

  it('is the worst of its metrics and names them, worst first', () => {
    const health = healthOf([metric('a', 'warning'), metric('b', 'healthy'), metric('c', 'critical')], stamp)
    expect(health.status).toBe('critical')
    expect(health.reasons).toEqual([
      { metric: 'c', value: 91, threshold: 90, since: '1970-01-01T00:00:07.000Z' },
      { metric: 'a', value: 91, threshold: 80, since: '1970-01-01T00:00:07.000Z' },
    ])
  })
})
