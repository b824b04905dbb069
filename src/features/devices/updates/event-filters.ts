import { updateEventTypes } from '../../../../contract/device/update-events'
import type { UpdateEventFilters } from '../../../api/queries/fleet/devices'
import { readable } from '../../../lib/status-display'

const failures = updateEventTypes.filter((type) => /failed|timed_out|cancelled|rollback/.test(type))
const dayS = 86_400

export const typeItems = [
  { value: 'all', label: 'All types' },
  { value: 'failures', label: 'Failures and rollbacks' },
  ...updateEventTypes.map((type) => ({ value: type as string, label: readable(type) })),
]
const seconds: Readonly<Record<string, number>> = { '24h': dayS, '7d': 7 * dayS, '30d': 30 * dayS }
export const periodItems = [
  { value: 'all', label: 'Any time' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
]

/** The parameters of the page of update events. */
export type EventsSearch = { type?: string | undefined; period?: string | undefined }

/** Invalid values are ignored; the others count. */
export const readEventsSearch = ({ type, period }: EventsSearch): EventsSearch => ({
  ...(typeItems.slice(1).some(({ value }) => value === type) && { type }),
  ...(periodItems.slice(1).some(({ value }) => value === period) && { period }),
})

export const toEventFilters = ({ type, period }: EventsSearch): UpdateEventFilters => {
  const periodS = seconds[period ?? '']
  return {
    ...(type !== undefined && { types: type === 'failures' ? failures : [type] }),
    ...(periodS !== undefined && { periodS }),
  }
}
