import { failed, model } from '../model'
import { longWorkMachine, ports } from './long-work.machine'

export const longWorkModel = model(ports, {
  machine: longWorkMachine,
  starts: { fresh: undefined },
  events: {
    'work.started': [{ type: 'work.started' }],
    'work.progressed': [{ type: 'work.progressed' }],
    'work.cancelled': [{ type: 'work.cancelled' }],
  },
  answers: { work: { done: [undefined], error: [failed(0), failed(410)] } },
})
