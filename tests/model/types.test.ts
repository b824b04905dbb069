import { expect, test } from 'vitest'
import { formMachine, ports } from '../../machines/form/form.machine'
import { formModel } from '../../machines/form/form.model'
import { type Model, model } from '../../machines/model'

// The compiler is the test here: a line that compiles although it must not fails `npm run typecheck`.
const events = {
  'form.changed': [{ type: 'form.changed', dirty: true }],
  'form.submitted': [{ type: 'form.submitted' }],
  'leave.asked': [{ type: 'leave.asked' }],
  'leave.confirmed': [{ type: 'leave.confirmed' }],
} as const
const all = { ...events, 'leave.declined': [{ type: 'leave.declined' }] } as const
const save = { done: [undefined], error: [0] } as const
const validation = { done: [[]] as [[]], error: [0] as const }
const machine = formMachine
const starts = { fresh: undefined }

export const attempts: Model[] = [
  model(ports, { machine, starts, events: all, answers: { save, validation } }),
  // @ts-expect-error an event of the chart is forgotten
  model(ports, { machine, starts, events, answers: { save, validation } }),
  // @ts-expect-error an event has no sample
  model(ports, { machine, starts, events: { ...all, 'leave.declined': [] }, answers: { save, validation } }),
  // @ts-expect-error a port has no answers
  model(ports, { machine, starts, events: all, answers: { save } }),
  // @ts-expect-error a port never fails
  model(ports, { machine, starts, events: all, answers: { save: { done: [undefined], error: [] }, validation } }),
]

test('a model names every event of its chart', () => {
  const heard = [...formMachine.events].filter((type) => !type.startsWith('xstate.'))
  expect(Object.keys(formModel.events).toSorted()).toEqual(heard.toSorted())
})
