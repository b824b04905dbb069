import type { Health } from '../../../contract/fleet/devices'
import { findFleetMetric, formatMetric } from '../../../contract/fleet/fleet-metrics'
import type { Threshold } from '../../../contract/fleet/thresholds'

type Reason = Health['reasons'][number]

const formatWait = (seconds: number) => (seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`)

/** Why a device is unhealthy. A level outlasts its value for `clear_after_s`: then both are named. */
export const describeHealth = (reason: Reason, thresholds: Readonly<Record<string, Threshold>>): string => {
  const { metric, value, threshold } = reason
  const { unit = '' } = findFleetMetric(metric) ?? {}
  const read = (amount: number) => `${amount} ${unit}`.trim()
  const name = formatMetric(metric)
  const now = read(Number(value.toFixed(1)))
  if (value >= threshold) return `${name} is ${now}, the limit is ${read(threshold)}`
  const wait = thresholds[metric]?.clear_after_s ?? 0
  const clears = wait > 0 ? `; clears after ${formatWait(wait)} below it` : ''
  return `${name} is ${now} again, below the limit of ${read(threshold)}${clears}`
}
