import { enums } from 'superstruct'

export const ranges = [
  { value: '1h', label: '1 h' },
  { value: '24h', label: '24 h' },
  { value: '7d', label: '7 d' },
  { value: '30d', label: '30 d' },
] as const
export type Range = (typeof ranges)[number]['value']
export const Range = enums(ranges.map((range) => range.value))

const hour = 3_600_000
/** The time range, and the seconds per point: 12 to 170 points each. */
export const spanOf = (range: Range): { span_ms: number; step_s: number } =>
  ({
    '1h': { span_ms: hour, step_s: 300 },
    '24h': { span_ms: 24 * hour, step_s: 900 },
    '7d': { span_ms: 168 * hour, step_s: 3600 },
    '30d': { span_ms: 720 * hour, step_s: 21_600 },
  })[range]
