import { setup } from 'xstate'
import type { Rollout } from '../../contract/updates/rollouts'
import { chartQuery } from '../chart-query'

export type RolloutState = Rollout['state']
/** A running rollout is either filling its wave or letting it soak. */
export type RolloutPhase = Exclude<RolloutState, 'running'> | 'filling' | 'soaking'

export type RolloutEvent = {
  type:
    | 'rollout.submitted'
    | 'rollout.approved'
    | 'rollout.denied'
    | 'rollout.scheduled'
    | 'rollout.started'
    | 'rollout.paused'
    | 'rollout.resumed'
    | 'rollout.halted'
    | 'rollout.cancelled'
    /** `end_at` has passed, or the manifest of a way back has expired. */
    | 'rollout.expired'
    /** Every device of the open wave has been offered the release and has ended. */
    | 'wave.filled'
    | 'wave.continued'
    | 'gate.passed'
    /** The gate passed and requires a person to continue. */
    | 'gate.waited'
    | 'gate.failed'
    | 'targets.ended'
    | 'rollback.began'
    | 'rollback.ended'
    /** No update is running any more. */
    | 'cancelling.ended'
}

/** `underway`: time alone can change something. `offering`: new offers are made. */
export type RolloutTag = 'open' | 'underway' | 'offering' | 'ended'

export const rolloutMachine = setup({
  types: { events: {} as RolloutEvent, tags: {} as RolloutTag },
}).createMachine({
  id: 'rollout',
  initial: 'open',
  states: {
    open: {
      tags: 'open',
      on: { 'rollout.cancelled': 'cancelling' },
      initial: 'draft',
      states: {
        draft: {
          on: { 'rollout.submitted': 'pending_approval', 'rollout.scheduled': 'underway', 'rollout.started': 'underway.running' },
        },
        pending_approval: { on: { 'rollout.approved': 'underway', 'rollout.denied': '#rollout.denied' } },
        underway: {
          tags: 'underway',
          on: { 'rollout.expired': '#rollout.expired' },
          initial: 'scheduled',
          states: {
            scheduled: { on: { 'rollout.started': 'running' } },
            running: {
              tags: 'offering',
              on: {
                'rollout.paused': 'paused',
                'rollout.halted': 'halted',
                'gate.failed': 'halted',
                'rollback.began': '#rollout.rolling_back',
                'targets.ended': '#rollout.completed',
              },
              initial: 'filling',
              states: {
                filling: { on: { 'wave.filled': 'soaking' } },
                soaking: {
                  on: { 'gate.passed': 'filling', 'gate.waited': '#rollout.open.underway.waiting_for_user' },
                },
              },
            },
            waiting_for_user: {
              on: {
                'wave.continued': 'running',
                'rollout.paused': 'paused',
                'rollout.halted': 'halted',
                'rollback.began': '#rollout.rolling_back',
              },
            },
            paused: {
              on: { 'rollout.resumed': 'running', 'rollout.halted': 'halted', 'rollback.began': '#rollout.rolling_back' },
            },
            // Halting stops new offers; running installations continue.
            halted: { on: { 'rollout.resumed': 'running', 'rollback.began': '#rollout.rolling_back' } },
          },
        },
      },
    },
    rolling_back: { tags: 'underway', on: { 'rollback.ended': 'rolled_back' } },
    cancelling: { tags: 'underway', on: { 'cancelling.ended': 'cancelled' } },
    denied: { tags: 'ended' },
    rolled_back: { tags: 'ended' },
    // A release may prove bad long after its last device was updated.
    cancelled: { tags: 'ended', on: { 'rollback.began': 'rolling_back' } },
    expired: { tags: 'ended', on: { 'rollback.began': 'rolling_back' } },
    completed: { tags: 'ended', on: { 'rollback.began': 'rolling_back' } },
  },
})

export type RolloutMove = RolloutEvent['type']
/** The possible transitions of a rollout; the server asks before each change. */
export const rolloutMoves = chartQuery<RolloutPhase, RolloutMove, RolloutTag>(rolloutMachine)
/** The state that users see: filling and soaking are both running. */
export const rolloutStateOf = (phase: RolloutPhase): RolloutState =>
  phase === 'filling' || phase === 'soaking' ? 'running' : phase
