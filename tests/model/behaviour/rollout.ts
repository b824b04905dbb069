import type { RolloutEvent } from '../../../machines/rollout/rollout.machine'
import { always, type Behaviour } from './behaviour'

const way = (...types: RolloutEvent['type'][]): RolloutEvent[] => types.map((type) => ({ type }))
const running = way('rollout.submitted', 'rollout.approved', 'rollout.started')
const underway = (state: string) => `open.underway.${state}`

export const rollout: Behaviour<RolloutEvent> = {
  stories: [
    { title: 'approved and started', moves: running, ends: underway('running.filling') },
    { title: 'started without approval where none is needed', moves: way('rollout.started'), ends: underway('running.filling') },
    {
      title: 'nothing starts before it is approved',
      moves: way('rollout.submitted', 'rollout.started'),
      ends: 'open.pending_approval',
    },
    { title: 'denied', moves: way('rollout.submitted', 'rollout.denied'), ends: 'denied' },
    {
      title: 'a wave fills, soaks and opens the next',
      moves: [...running, ...way('wave.filled', 'gate.passed')],
      ends: underway('running.filling'),
    },
    {
      title: 'a gate that asks a person',
      moves: [...running, ...way('wave.filled', 'gate.waited')],
      ends: underway('waiting_for_user'),
    },
    {
      title: 'and continues when a person continues it',
      moves: [...running, ...way('wave.filled', 'gate.waited', 'wave.continued')],
      ends: underway('running.filling'),
    },
    { title: 'a gate that fails halts', moves: [...running, ...way('gate.failed')], ends: underway('halted') },
    {
      title: 'a halted one is rolled back',
      moves: [...running, ...way('gate.failed', 'rollback.began', 'rollback.ended')],
      ends: 'rolled_back',
    },
    {
      title: 'paused, and a gate says nothing',
      moves: [...running, ...way('rollout.paused', 'gate.failed')],
      ends: underway('paused'),
    },
    { title: 'resumed', moves: [...running, ...way('rollout.paused', 'rollout.resumed')], ends: underway('running.filling') },
    {
      title: 'cancelled when the last device is removed',
      moves: [...running, ...way('rollout.cancelled', 'cancelling.ended')],
      ends: 'cancelled',
    },
    { title: 'expired', moves: [...running, ...way('rollout.paused', 'rollout.expired')], ends: 'expired' },
    { title: 'all targets ended', moves: [...running, ...way('targets.ended')], ends: 'completed' },
    {
      title: 'rolled back after its end',
      moves: [...running, ...way('targets.ended', 'rollback.began', 'rollback.ended')],
      ends: 'rolled_back',
    },
    {
      title: 'rolled back once',
      moves: [...running, ...way('rollback.began', 'rollback.ended', 'rollback.began')],
      ends: 'rolled_back',
    },
  ],
  invariants: [
    always(
      'an ended rollout stays ended, unless it is rolled back',
      ({ before, move, after: s }) => !before.hasTag('ended') || s.value === before.value || move?.type === 'rollback.began',
    ),
    always(
      'nothing is offered after the end',
      ({ before, after: s }) => !before.hasTag('ended') || (!s.hasTag('open') && !s.hasTag('offering')),
    ),
    always(
      'offers are made only while it runs',
      ({ after: s }) => s.hasTag('offering') === s.matches({ open: { underway: 'running' } }),
    ),
    always(
      'nothing that waits for approval offers',
      ({ before, after: s }) => !before.matches({ open: 'pending_approval' }) || !s.hasTag('offering'),
    ),
    always(
      'any open rollout can be cancelled',
      ({ before, move, after: s }) => !before.hasTag('open') || move?.type !== 'rollout.cancelled' || s.matches('cancelling'),
    ),
  ],
}
