import { expect, test } from 'vitest'
import { formMachine, ports } from '../../machines/form/form.machine'
import { formModel } from '../../machines/form/form.model'
import { type Model, model } from '../../machines/model'
import type { Gestures } from '../e2e/gestures/gestures'
import type { TestPage } from '../e2e/gestures/test-page'

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

// The same for a gesture dictionary.
const does = async () => {}
const answer = { done: does, error: does }
const gestures = { 'form.changed': does, 'form.submitted': does, 'leave.asked': does, 'leave.confirmed': does }
const everything = { ...gestures, 'leave.declined': does }
const answers = { save: answer, validation: answer }
const states = { 'work.editing': does, 'work.validating': does, 'work.submitting': does, 'work.saved': does }
const seen = { ...states, 'leaving.staying': does, 'leaving.asking': does }
const stage = { model: formModel, prepare: does, open: (): Promise<TestPage> => Promise.reject(new Error('Nobody plays this')) }

export const dictionaries: Gestures<typeof formMachine, typeof ports, TestPage>[] = [
  { ...stage, events: everything, answers, states: seen },
  // @ts-expect-error an event of the chart has no gesture
  { ...stage, events: gestures, answers, states: seen },
  // @ts-expect-error a gesture for an event that the chart does not know
  { ...stage, events: { ...everything, 'form.dropped': does }, answers, states: seen },
  // @ts-expect-error a port gives no answer
  { ...stage, events: everything, answers: { save: answer }, states: seen },
  // @ts-expect-error a port never fails
  { ...stage, events: everything, answers: { save: { done: does }, validation: answer }, states: seen },
  // @ts-expect-error a state of one of its regions is looked at by nobody
  { ...stage, events: everything, answers, states: { ...states, 'leaving.staying': does } },
  // @ts-expect-error a region is no state that can be seen
  { ...stage, events: everything, answers, states: { ...seen, work: does } },
]

test('a model names every event of its chart', () => {
  const heard = [...formMachine.events].filter((type) => !type.startsWith('xstate.'))
  expect(Object.keys(formModel.events).toSorted()).toEqual(heard.toSorted())
})
