import { number, object, refine, string } from 'superstruct'
import { boundedRecord } from '../core/bounded'
import { boundedInteger } from '../core/rules'
import type { Thresholds } from './thresholds'

const load = { warning: 80, critical: 90, clear_after_s: 300 }

/** The health thresholds of a new project. */
export const standardThresholds = {
  'cpu.temperature_celsius': { warning: 75, critical: 85, clear_after_s: 300 },
  'cpu.usage_percent': load,
  'memory.used_percent': load,
  'storage.used_percent': load,
} satisfies Thresholds

/** The possible values of a metric, if its name implies them. */
export const metricRange = (metric: string): readonly [least: number, most: number] | undefined =>
  metric.endsWith('_percent') ? [0, 100] : metric.endsWith('_celsius') ? [-40, 150] : undefined

/** A metric that was not reported for so long, while others were, says nothing about its device any more. */
export const metricLifetimeMs = 86_400_000
/** Whether a value still says something about its device. Both times in milliseconds, `newestAt` that of any of its metrics. */
export const isCurrentValue = (at: number, newestAt: number): boolean => newestAt - at <= metricLifetimeMs

const levels = ['warning', 'critical'] as const

const shaped = boundedRecord(
  string(),
  object({ warning: number(), critical: number(), clear_after_s: boundedInteger('Clear after', 0, 86_400) }),
  200,
)
const within = refine(shaped, 'range', (value, { path }) =>
  Object.entries(value).flatMap(([metric, one]) => {
    const [least, most] = metricRange(metric) ?? [-Infinity, Infinity]
    return levels
      .filter((level) => one[level] < least || one[level] > most)
      .map((level) => ({ path: [...path, metric, level], message: `Between ${least} and ${most}` }))
  }),
)

/** A map from metrics to their levels; a problem names its level. */
export const ThresholdsChange = refine(within, 'order', (value, { path }) =>
  Object.entries(value)
    .filter(([, one]) => one.warning >= one.critical)
    .map(([metric]) => ({ path: [...path, metric, 'warning'], message: 'Warning must be below critical' })),
)
