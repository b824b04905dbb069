import type { DeviceRow } from './repository'

type Known = Pick<DeviceRow, 'pollingIntervalS' | 'nextPollingS' | 'configuredPollingS' | 'enrolledAt'>
type Columns = { configuredPollingS?: number; pollingIntervalS?: number | null; nextPollingS?: number | null }

const ofProject = 0

/** The interval that a person or the device's file has set; null: that of the project. */
export const setPollingS = ({
  pollingIntervalS,
  nextPollingS,
}: Pick<Known, 'pollingIntervalS' | 'nextPollingS'>): number | null =>
  nextPollingS === null ? pollingIntervalS : nextPollingS === ofProject ? null : nextPollingS

/** The interval that a device learns at this contact, if another one was set since the last. */
export const learnedPolling = (device: Known): Columns =>
  device.nextPollingS === null ? {} : { pollingIntervalS: setPollingS(device), nextPollingS: null }

/**
 * A new interval set by a person. A shorter one waits until the device can know it: measured by it at once, a device that keeps to the
 * former one would be offline.
 */
export const changedPolling = (
  device: Pick<DeviceRow, 'pollingIntervalS' | 'lastSeenAt'>,
  askedS: number | null,
  projectS: number,
): Columns =>
  device.lastSeenAt !== null && (askedS ?? projectS) < (device.pollingIntervalS ?? projectS)
    ? { nextPollingS: askedS ?? ofProject }
    : { pollingIntervalS: askedS, nextPollingS: null }

/**
 * Which polling interval applies (docs/decisions/0009): the last decision, made in the console or in the device's own
 * configuration. The file decides when its value differs from its last one, and at the first contact unless the console decided
 * earlier.
 */
export const pollingColumns = (device: Known, askedS: number | undefined, projectS: number): Columns => {
  const learned = learnedPolling(device)
  if (askedS === undefined || askedS === device.configuredPollingS) return learned
  const first = device.configuredPollingS === null
  // A device that was enrolled before clients sent it, or whose interval was set in the console: recorded without a decision.
  if (first && (device.enrolledAt !== null || device.pollingIntervalS !== null)) return { ...learned, configuredPollingS: askedS }
  // Equal to the project's: the device follows the project's setting from now on.
  return { configuredPollingS: askedS, pollingIntervalS: askedS === projectS ? null : askedS, nextPollingS: null }
}
