import type { devices } from '../schema/devices'

type Known = Pick<typeof devices.$inferSelect, 'pollingIntervalS' | 'configuredPollingS' | 'enrolledAt'>
type Columns = { configuredPollingS?: number; pollingIntervalS?: number | null }

/**
 * Whose polling interval counts (docs/decisions/0009): the last decision, made in the console or in the device's own configuration.
 * The file decides when its number is another one than it last was, and at the first contact unless the console was earlier.
 */
export const pollingColumns = (device: Known, askedS: number | undefined, projectS: number): Columns => {
  if (askedS === undefined || askedS === device.configuredPollingS) return {}
  const first = device.configuredPollingS === null
  // A device that was let in before clients said it, or that the console has set: noted, nothing is decided by it.
  if (first && (device.enrolledAt !== null || device.pollingIntervalS !== null)) return { configuredPollingS: askedS }
  // Equal to the project's: it follows what the project says later.
  return { configuredPollingS: askedS, pollingIntervalS: askedS === projectS ? null : askedS }
}
