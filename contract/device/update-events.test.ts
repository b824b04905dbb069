import { describe, expect, it } from 'vitest'
import {
  deviceEventTypes,
  endStates,
  isEnded,
  serverEventTypes,
  stateAfter,
  stateOfEvent,
  updateEventTypes,
  type UpdateEventType,
  updatePath,
} from './update-events'

const after = (...types: UpdateEventType[]) => types.reduce(stateAfter, 'queued' as ReturnType<typeof stateAfter>)
const wholeWay: UpdateEventType[] = [
  'update_offered',
  'update_accepted',
  'download_started',
  'download_progress',
  'download_completed',
  'verification_started',
  'verification_passed',
  'pre_install_started',
  'pre_install_completed',
  'install_started',
  'install_completed',
  'post_install_started',
  'post_install_completed',
  'reboot_requested',
  'booted',
  'validation_started',
  'post_reboot_started',
  'post_reboot_completed',
  'validation_passed',
  'update_confirmed',
]

describe('the state of a device update', () => {
  it('goes the whole way', () => {
    const seen = wholeWay.map((_, at) => after(...wholeWay.slice(0, at + 1)))
    expect([...new Set(seen)]).toEqual(updatePath.slice(1).filter((state) => state !== 'claimed'))
  })

  it('waits for its confirmation after a claim, whatever the client reports then', () => {
    const claimed = after('update_offered', 'install_progress', 'update_claimed')
    expect(claimed).toBe('claimed')
    for (const type of wholeWay.slice(0, -1)) expect(stateAfter(claimed, type)).toBe('claimed')
    expect(stateAfter(claimed, 'update_confirmed')).toBe('succeeded')
  })

  it('does not go back on a late report', () => {
    for (const type of wholeWay.slice(0, -1)) expect(after(...wholeWay.slice(0, -1), type)).toBe('validating')
    expect(after('update_offered', 'booted', 'download_progress')).toBe('validating')
  })

  it('stays ended, whatever comes, but for a failure that is rolled back and a silence that ends in success', () => {
    const ways: Record<string, string> = { failed: 'rollback_completed', timed_out: 'update_confirmed' }
    for (const state of endStates)
      for (const type of updateEventTypes) expect(stateAfter(state, type) === state).toBe(ways[state] !== type)
  })

  it('says rolled back after a failure that was undone', () => {
    expect(after('booted', 'post_reboot_failed', 'rollback_started')).toBe('failed')
    expect(after('booted', 'post_reboot_failed', 'rollback_started', 'rollback_completed')).toBe('rolled_back')
  })

  it('comes back from a deferral', () =>
    expect(after('update_offered', 'update_deferred', 'update_accepted')).toBe('downloading'))

  it('knows the end of every failure', () => {
    for (const type of updateEventTypes.filter((name) => name.endsWith('_failed'))) expect(stateOfEvent[type]).toBe('failed')
    expect(updateEventTypes.filter((type) => stateOfEvent[type] !== null && isEnded(stateOfEvent[type]))).toHaveLength(9)
  })

  it('keeps the events of the server from devices', () => {
    expect(serverEventTypes).toEqual(['update_offered', 'update_claimed', 'update_timed_out'])
    for (const type of serverEventTypes) expect(deviceEventTypes).not.toContain(type)
    expect(deviceEventTypes).toHaveLength(updateEventTypes.length - 3)
  })
})
