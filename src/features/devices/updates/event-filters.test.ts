import { expect, it } from 'vitest'
import { readEventsSearch, toEventFilters } from './event-filters'

it('reads the filters of update events from the address, and ignores invalid ones', () => {
  expect(readEventsSearch({ type: 'update_failed', period: '7d' })).toEqual({ type: 'update_failed', period: '7d' })
  expect(readEventsSearch({ type: 'all', period: 'yesterday' })).toEqual({})
})

it('asks for failures by all types that mean one', () => {
  const { types } = toEventFilters({ type: 'failures' })
  expect(types).toContain('post_reboot_failed')
  expect(types).toContain('rollback_completed')
  expect(types).not.toContain('update_confirmed')
  expect(toEventFilters({ period: '24h' })).toEqual({ periodS: 86_400 })
})
