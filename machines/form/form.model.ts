import { failed, model } from '../model'
import { formMachine, ports } from './form.machine'

const problem = { field: 'name', code: 'required', message: 'Name is required' }

export const formModel = model(ports, {
  machine: formMachine,
  starts: { fresh: undefined },
  events: {
    'form.changed': [
      { type: 'form.changed', dirty: true },
      { type: 'form.changed', dirty: false },
    ],
    'form.submitted': [{ type: 'form.submitted' }],
    'leave.asked': [{ type: 'leave.asked' }],
    'leave.confirmed': [{ type: 'leave.confirmed' }],
    'leave.declined': [{ type: 'leave.declined' }],
  },
  answers: {
    validation: { done: [[], [problem]], error: [failed(0)] },
    save: {
      done: [undefined],
      error: [failed(500), failed(0), { ...failed(422), details: [problem] }, { ...failed(422), code: 'idempotency_mismatch' }],
    },
  },
})
