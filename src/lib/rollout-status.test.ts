import { describe, expect, it } from 'vitest'
import type { Rollout, WaveStatus } from '../../contract/updates/rollouts'
import { askersOf, describeWait, rolloutDisplay, waveDisplay, type Waiting } from './rollout-status'

const counts = (succeeded: number, failed: number, waiting = 0) => ({
  targeted: succeeded + failed + waiting,
  succeeded,
  failed,
  running: 0,
  claimed: 0,
  waiting,
})

describe('rolloutDisplay', () => {
  const completed = (succeeded: number, failed: number) =>
    rolloutDisplay({ state: 'completed', counts: counts(succeeded, failed), current_wave: 1, waves: 1 })

  it('shows a completed rollout as a success only when no device failed', () => {
    expect(completed(5, 0)).toEqual({ shape: 'success', word: 'Completed' })
    expect(completed(0, 0)).toEqual({ shape: 'none', word: 'Completed, no device updated' })
    expect(completed(3, 2)).toEqual({ shape: 'warning', word: 'Completed with failures: 2 of 5 failed' })
    expect(completed(0, 5)).toEqual({ shape: 'error', word: 'Completed with failures: 5 of 5 failed' })
  })

  it('shows a rollback as done only when no device keeps the release', () => {
    const rolledBack = (with_failures: boolean) =>
      rolloutDisplay({ state: 'rolled_back', counts: counts(2, 0), current_wave: 1, waves: 1, with_failures })
    expect(rolledBack(false)).toEqual({ shape: 'back', word: 'Rolled back' })
    expect(rolledBack(true)).toEqual({ shape: 'warning', word: 'Roll back incomplete' })
  })

  it('names the open wave of a running rollout', () => {
    const running = rolloutDisplay({ state: 'running', counts: counts(0, 0, 9), current_wave: 2, waves: 4 })
    expect(running.word).toBe('Running, wave 2 of 4')
  })
})

describe('waveDisplay', () => {
  const wave = (state: WaveStatus['state'], shown: Rollout['counts'], counts_from: string | null = null) => ({
    state,
    counts: shown,
    counts_from,
  })

  it('says how many failed in a wave that was resumed despite failures', () => {
    expect(waveDisplay(wave('passed', counts(5, 0)), true)).toEqual({ shape: 'success', word: 'Passed' })
    expect(waveDisplay(wave('passed', counts(4, 1)), true)).toEqual({ shape: 'warning', word: 'Passed, 1 failed' })
    expect(waveDisplay(wave('passed', counts(0, 5)), true)).toEqual({
      shape: 'error',
      word: 'Failed, resumed anyway',
    })
  })

  it('shows no wave as moving after its rollout has ended', () => {
    expect(waveDisplay(wave('soaking', counts(1, 0)), true).word).toBe('Ended early')
    expect(waveDisplay(wave('waiting', counts(0, 0, 4)), true).word).toBe('Not opened')
    expect(waveDisplay(wave('soaking', counts(1, 0)), false).word).toBe('Soaking')
  })

  it('says that a wave goes on after it was halted', () => {
    const resumed = '2026-06-01T12:00:00+00:00'
    expect(waveDisplay(wave('retried', counts(2, 0, 3)), false)).toEqual({ shape: 'waiting', word: 'Retried' })
    expect(waveDisplay(wave('filling', counts(2, 0, 3), resumed), false)).toEqual({ shape: 'running', word: 'Filling, resumed' })
    expect(waveDisplay(wave('passed', counts(5, 0), resumed), false).word).toBe('Passed')
  })
})

describe('describeWait', () => {
  const waiting = (facts: Partial<Waiting>) =>
    describeWait({
      state: 'draft',
      start_at: null,
      requires_approval: false,
      counts: counts(0, 0, 3),
      current_wave: 1,
      asked_by: [],
      ...facts,
    })

  it('names the permission that approval needs and who may not give it', () => {
    expect(waiting({ state: 'pending_approval', asked_by: ['Ines', 'Otto'] })).toBe(
      'Waits for approval by someone who may approve releases other than Ines or Otto',
    )
  })

  it('says when a scheduled rollout starts', () => {
    expect(waiting({ state: 'scheduled', start_at: '2026-11-20T15:00:00+00:00' })).toMatch(/^Starts at 11\/\d\d\/2026 /)
    expect(waiting({ state: 'scheduled' })).toBe('Approved, starts within a minute')
  })

  it('says how many devices of a halted rollout wait and what continues it', () => {
    expect(waiting({ state: 'halted' })).toBe('3 devices wait; resume to continue')
    expect(waiting({ state: 'halted', counts: counts(1, 1, 1) })).toBe('1 device waits; resume to continue')
  })

  it('says nothing about a rollout that moves or has ended', () => {
    expect(waiting({ state: 'running' })).toBeUndefined()
    expect(waiting({ state: 'completed' })).toBeUndefined()
  })
})

it('askersOf names the author of a rollout and the person who asked for approval, each once', () => {
  const approval = { asked_by: 'Ines', asked_by_id: '2', decided_by: null, decision: null, comment: null }
  expect(askersOf({ created_by: { id: '1', name: 'Otto', kind: 'user' }, approval })).toEqual(['Otto', 'Ines'])
  expect(askersOf({ created_by: { id: '2', name: 'Ines', kind: 'user' }, approval })).toEqual(['Ines'])
  expect(askersOf({ created_by: null, approval: null })).toEqual([])
})
