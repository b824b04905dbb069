import type { Health } from '../../../../contract/fleet/devices'
import { isCurrentValue } from '../../../../contract/fleet/health'
import type { Threshold } from '../../../../contract/fleet/thresholds'
import { parseTime } from '../../../lib/dates'

type Metric = { name: string; at: string }

/** The level of a metric with a threshold, as the health of its device was found; `metrics` are all that the device has reported. */
export const findMetricLevel = (
  { status, reasons }: Health,
  name: string,
  threshold: Threshold,
  metrics: readonly Metric[],
): Health['status'] => {
  const at = (metric: Metric) => parseTime(metric.at).getTime()
  const metric = metrics.find((one) => one.name === name)
  if (status === 'unknown' || !metric || !isCurrentValue(at(metric), Math.max(...metrics.map(at)))) return 'unknown'
  const n = reasons.findIndex((one) => one.metric === name)
  const reason = reasons[n]
  if (!reason) return 'healthy'
  // The worst is first. Of the others the limit says which it was, unless the limits were changed since.
  if (n === 0 || status === 'warning') return status
  return reason.threshold >= threshold.critical ? 'critical' : 'warning'
}
