import { fromLocal } from '../../../lib/local-time'

export const pauseSpans = [
  { value: '1', label: '1 hour' },
  { value: '24', label: '1 day' },
  { value: '168', label: '1 week' },
  { value: 'other', label: 'Other' },
] as const
export type PauseSpan = (typeof pauseSpans)[number]['value']

export const hoursAhead = (hours: number) => fromLocal(new Date(Date.now() + hours * 3_600_000).toISOString())
