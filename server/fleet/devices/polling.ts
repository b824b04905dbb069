import type { DeviceRow } from './repository'

type Known = Pick<DeviceRow, 'pollingIntervalS' | 'configuredPollingS' | 'enrolledAt'>
type Columns = { configuredPollingS?: number; pollingIntervalS?: number | null }

/**
 * Which polling interval applies (docs/decisions/0009): the last decision, made in the console or in the device's own
 * configuration. The file decides when its value differs from its last one, and at the first contact unless the console decided
 * earlier.
 */
export const pollingColumns = (device: Known, askedS: number | undefined, projectS: number): Columns => {
  if (askedS === undefined || askedS === device.configuredPollingS) return {}
  const first = device.configuredPollingS === null
  // A device that was enrolled before clients sent it, or whose interval was set in the console: recorded without a decision.
  if (first && (device.enrolledAt !== null || device.pollingIntervalS !== null)) return { configuredPollingS: askedS }
  // Equal to the project's: the device follows the project's setting from now on.
  return { configuredPollingS: askedS, pollingIntervalS: askedS === projectS ? null : askedS }
}
