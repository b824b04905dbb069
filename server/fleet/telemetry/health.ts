import type { Health } from '../../../contract/fleet/devices'
import type { Threshold } from '../../../contract/fleet/thresholds'

type Level = 'healthy' | 'warning' | 'critical'

/** The level of one metric of one device. `easedAt`: since when its value is below the level. Times are in milliseconds. */
export type MetricState = { level: Level; since: number | null; easedAt: number | null }

export const initialMetricState: MetricState = { level: 'healthy', since: null, easedAt: null }

const rank: Record<Level, number> = { healthy: 0, warning: 1, critical: 2 }

const levelOf = (value: number, { warning, critical }: Threshold): Level =>
  value >= critical ? 'critical' : value >= warning ? 'warning' : 'healthy'

/**
 * The state after one more value. A level rises at once and falls only when the value has stayed below it for `clear_after_s`,
 * so that a value near its threshold does not flap.
 */
export const nextMetricState = (state: MetricState, value: number, at: number, threshold: Threshold): MetricState => {
  const level = levelOf(value, threshold)
  if (rank[level] > rank[state.level]) return { level, since: at, easedAt: null }
  if (rank[level] === rank[state.level]) return { ...state, easedAt: null }
  const easedAt = state.easedAt ?? at
  const over = at - easedAt >= threshold.clear_after_s * 1000
  return over ? { level, since: level === 'healthy' ? null : at, easedAt: null } : { ...state, easedAt }
}

export type Judged = { metric: string; value: number; threshold: Threshold } & MetricState

/** The worst of the metric states, with the metrics that cause it. */
export const healthOf = (metrics: readonly Judged[], stamp: (moment: Date) => string): Health => {
  if (metrics.length === 0) return { status: 'unknown', reasons: [] }
  const bad = metrics.filter(({ level }) => level !== 'healthy').toSorted((a, b) => rank[b.level] - rank[a.level])
  return {
    status: bad[0]?.level ?? 'healthy',
    reasons: bad.map(({ metric, value, threshold, level, since }) => ({
      metric,
      value,
      threshold: level === 'critical' ? threshold.critical : threshold.warning,
      since: stamp(new Date(since ?? 0)),
    })),
  }
}
