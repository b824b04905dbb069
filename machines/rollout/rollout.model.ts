import { model } from '../model'
import { rolloutMachine } from './rollout.machine'

export const rolloutModel = model(
  {},
  {
    machine: rolloutMachine,
    starts: { draft: undefined },
    events: {
      'rollout.submitted': [{ type: 'rollout.submitted' }],
      'rollout.approved': [{ type: 'rollout.approved' }],
      'rollout.denied': [{ type: 'rollout.denied' }],
      'rollout.scheduled': [{ type: 'rollout.scheduled' }],
      'rollout.started': [{ type: 'rollout.started' }],
      'rollout.paused': [{ type: 'rollout.paused' }],
      'rollout.resumed': [{ type: 'rollout.resumed' }],
      'rollout.halted': [{ type: 'rollout.halted' }],
      'rollout.cancelled': [{ type: 'rollout.cancelled' }],
      'rollout.expired': [{ type: 'rollout.expired' }],
      'wave.filled': [{ type: 'wave.filled' }],
      'wave.continued': [{ type: 'wave.continued' }],
      'gate.passed': [{ type: 'gate.passed' }],
      'gate.waited': [{ type: 'gate.waited' }],
      'gate.failed': [{ type: 'gate.failed' }],
      'targets.ended': [{ type: 'targets.ended' }],
      'rollback.began': [{ type: 'rollback.began' }],
      'rollback.ended': [{ type: 'rollback.ended' }],
      'cancelling.ended': [{ type: 'cancelling.ended' }],
    },
    answers: {},
  },
)
