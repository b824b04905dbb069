import type { Refresh } from './refresh-choice'

/** What can be chosen, as a menu names it. Apart from the choice itself, which the first page loads. */
export const refreshIntervals: readonly { value: Refresh; label: string }[] = [
  { value: 'live', label: 'Live' },
  { value: '10s', label: 'Every 10 seconds' },
  { value: '1m', label: 'Every minute' },
  { value: '5m', label: 'Every 5 minutes' },
  { value: 'off', label: 'Off' },
]
