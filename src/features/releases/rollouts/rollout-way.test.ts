import { expect, it } from 'vitest'
import layout from '../../../../machines/rollout/rollout.layout.json'
import { wayOf } from './rollout-way'
import type { TimelineEntry } from './timeline-days'

const timeline = (...kinds: string[]): TimelineEntry[] =>
  kinds.map((kind) => ({ at: '2026-06-01T12:00:00+00:00', kind, text: kind, wave: 1, by: null }))

it('the way of a rollout follows its timeline, and entries that change no state do not move it', () => {
  const way = wayOf(
    timeline(
      'rollout.created',
      'rollout.started',
      'gate.measured',
      'wave.filled',
      'gate.passed',
      'wave.filled',
      'gate.measured',
      'gate.failed',
      'devices.retried',
    ),
  )
  expect(way.states).toEqual(['draft', 'filling', 'soaking', 'filling', 'soaking', 'halted'])
  expect(way.lit).toContain('rollout.open.underway.halted')
})

it('the arrows of the way are arrows of the drawn chart, with how often each was taken', () => {
  const way = wayOf(timeline('rollout.started', 'wave.filled', 'gate.passed', 'wave.filled', 'gate.failed', 'rollback.began'))
  const drawn = layout.edges.map(({ id }) => id)
  expect(way.walked).toHaveLength(5)
  expect(way.walked.filter((edge) => !drawn.includes(edge))).toEqual([])
  const filled = 'rollout.open.underway.running.filling → rollout.open.underway.running.soaking'
  expect(way.countOf(filled, 'wave.filled')).toBe(2)
  expect(way.countOf(filled, 'gate.passed')).toBe(0)
  expect(way.last).toEqual(['rollout.open.underway.halted → rollout.rolling_back'])
})
