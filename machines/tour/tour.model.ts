import { model } from '../model'
import { tourMachine } from './tour.machine'

export const tourModel = model(
  {},
  {
    machine: tourMachine,
    starts: { fresh: undefined },
    events: {
      'tour.started': [
        { type: 'tour.started', steps: 3 },
        { type: 'tour.started', steps: 0 },
      ],
      'step.advanced': [{ type: 'step.advanced' }],
      'step.returned': [{ type: 'step.returned' }],
      'step.missing': [{ type: 'step.missing' }],
      'tour.left': [{ type: 'tour.left' }],
    },
    answers: {},
  },
)
