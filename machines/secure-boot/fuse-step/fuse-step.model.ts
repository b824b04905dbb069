import { model } from '../../model'
import { fuseStepMachine } from './fuse-step.machine'

export const fuseStepModel = model(
  {},
  {
    machine: fuseStepMachine,
    starts: { blocked: undefined },
    events: {
      'steps.verified': [{ type: 'steps.verified' }],
      'step.confirmed': [{ type: 'step.confirmed' }],
      'step.declined': [{ type: 'step.declined' }],
      'write.ended': [{ type: 'write.ended' }],
      'value.matched': [{ type: 'value.matched' }],
      'value.incomplete': [{ type: 'value.incomplete' }],
      'value.differed': [{ type: 'value.differed' }],
    },
    answers: {},
  },
)
