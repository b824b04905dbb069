import { expect, test } from 'vitest'
import { stateAfter, updateEventTypes, updateStates } from '../../contract/device/update-events'
import { deviceUpdateMoves, moveOf } from './device-update.machine'

test.each(updateStates)('from %s the chart and the contract agree about every report', (state) => {
  for (const type of updateEventTypes) {
    const move = moveOf(type)
    expect([type, move ? deviceUpdateMoves.next(state, move) : state]).toEqual([type, stateAfter(state, type)])
  }
})

test('a held device update can be queued, and only a waiting one can be skipped', () => {
  expect(deviceUpdateMoves.next('held', 'update.freed')).toBe('queued')
  expect(updateStates.filter((state) => deviceUpdateMoves.canMove(state, 'update.skipped'))).toEqual([
    'queued',
    'held',
    'deferred',
  ])
})

test('what failed may be tried again, what succeeded or was cancelled may not', () => {
  expect(updateStates.filter((state) => deviceUpdateMoves.canMove(state, 'update.retried'))).toEqual([
    'failed',
    'rolled_back',
    'timed_out',
  ])
})
