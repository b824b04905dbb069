import type { FormEvent } from '../../../machines/form/form.machine'
import { failed } from '../../../machines/model'
import { done, failing } from '../moves'
import { after, always, type Behaviour, did } from './behaviour'

const problem = { field: 'name', code: 'required', message: 'Name is required' }
const typed: FormEvent = { type: 'form.changed', dirty: true }
const submit: FormEvent = { type: 'form.submitted' }
const leave: FormEvent = { type: 'leave.asked' }
const valid = done('validation', [])
const ends = (work: string, leaving = 'staying') => [`work.${work}`, `leaving.${leaving}`]
const failure = (status: number) => ({ status, code: `status_${status}`, requestId: null })
const used = { ...failed(422), code: 'idempotency_mismatch' }
const timedOut = { status: 0, code: 'time_out', requestId: null }

export const form: Behaviour<FormEvent> = {
  stories: [
    {
      title: 'typed, checked, saved',
      moves: [typed, submit, valid, done('save', undefined)],
      ends: ends('saved'),
      does: ['form.saved'],
      holds: { dirty: false },
    },
    {
      title: 'the schema finds a problem',
      moves: [typed, submit, done('validation', [problem])],
      ends: ends('editing'),
      does: ['form.refused'],
      holds: { problems: [problem], dirty: true },
    },
    {
      title: 'a schema that throws is a form error',
      moves: [submit, failing('validation', failed(0))],
      ends: ends('editing'),
      does: [],
      holds: { failure: failure(0) },
    },
    {
      title: 'a schema that never ends is a form error',
      moves: [submit, after('timeout')],
      ends: ends('editing'),
      holds: { failure: timedOut },
    },
    {
      title: 'the server finds a problem',
      moves: [typed, submit, valid, failing('save', { ...failed(422), details: [problem] })],
      ends: ends('editing'),
      does: ['form.refused'],
      holds: { problems: [problem], failure: null, dirty: true },
    },
    {
      title: 'a 422 without a field is a form error',
      moves: [submit, valid, failing('save', failed(422))],
      ends: ends('editing'),
      holds: { problems: [], failure: failure(422) },
    },
    {
      title: 'the fields of another status are not believed',
      moves: [submit, valid, failing('save', { ...failed(409), details: [problem] })],
      ends: ends('editing'),
      holds: { problems: [], failure: failure(409) },
    },
    {
      title: 'the server fails, nothing typed is lost',
      moves: [typed, submit, valid, failing('save', { ...failed(500), requestId: 'r' })],
      ends: ends('editing'),
      does: [],
      holds: { dirty: true, failure: { ...failure(500), requestId: 'r' } },
    },
    {
      title: 'a server that is silent is a form error',
      moves: [submit, valid, after('timeout')],
      ends: ends('editing'),
      holds: { failure: timedOut, unknown: true },
    },
    ...[0, 502, 503, 504].map((status) => ({
      title: `a save that ends with ${status} may have been done, and leaving asks`,
      moves: [submit, valid, failing('save', failed(status)), leave],
      ends: ends('editing', 'asking'),
      does: [],
      holds: { unknown: true, dirty: false, failure: failure(status) },
    })),
    {
      title: 'a refusal does not tell what became of a save before it',
      moves: [submit, valid, failing('save', failed(0)), submit, valid, failing('save', failed(401))],
      ends: ends('editing'),
      holds: { unknown: true },
    },
    {
      title: 'a refused save was not done',
      moves: [submit, valid, failing('save', failed(409))],
      ends: ends('editing'),
      holds: { unknown: false },
    },
    {
      title: 'a used key tells that the earlier save was done',
      moves: [submit, valid, failing('save', failed(0)), typed, submit, valid, failing('save', used)],
      ends: ends('editing'),
      holds: { unknown: false, dirty: true },
    },
    {
      title: 'saved at the second try',
      moves: [submit, valid, failing('save', failed(0)), submit, valid, done('save', undefined), leave],
      ends: ends('saved'),
      does: ['form.saved', 'leave.allowed'],
      holds: { unknown: false },
    },
    { title: 'leaving asks while a save runs', moves: [submit, valid, leave], ends: ends('submitting', 'asking'), does: [] },
    {
      title: 'a save that ends behind the question withdraws it',
      moves: [typed, submit, valid, leave, done('save', undefined)],
      ends: ends('saved'),
      does: ['form.saved', 'leave.refused'],
    },
    {
      title: 'a save that fails behind the question leaves it open',
      moves: [typed, submit, valid, leave, failing('save', failed(500))],
      ends: ends('editing', 'asking'),
      does: [],
    },
    {
      title: 'a failure without a known shape is a form error',
      moves: [submit, valid, failing('save', 'broken')],
      ends: ends('editing'),
      holds: { failure: { status: 0, code: 'unknown', requestId: null } },
    },
    {
      title: 'the next submit starts clean',
      moves: [submit, valid, failing('save', failed(500)), submit],
      ends: ends('validating'),
      holds: { failure: null, problems: [] },
    },
    { title: 'two submits cannot overlap', moves: [submit, submit, valid, submit], ends: ends('submitting'), does: [] },
    {
      title: 'saved and typed again',
      moves: [typed, submit, valid, done('save', undefined), typed],
      ends: ends('editing'),
      holds: { dirty: true },
    },
    { title: 'nothing typed: leaving is free', moves: [leave], ends: ends('editing'), does: ['leave.allowed'] },
    {
      title: 'typed and taken back: leaving is free',
      moves: [typed, { type: 'form.changed', dirty: false }, leave],
      ends: ends('editing'),
      does: ['leave.allowed'],
    },
    { title: 'unsaved changes ask first', moves: [typed, leave], ends: ends('editing', 'asking'), does: [] },
    {
      title: 'left without saving',
      moves: [typed, leave, { type: 'leave.confirmed' }],
      ends: ends('editing'),
      does: ['leave.allowed'],
      holds: { dirty: false },
    },
    {
      title: 'stayed',
      moves: [typed, leave, { type: 'leave.declined' }],
      ends: ends('editing'),
      does: ['leave.refused'],
      holds: { dirty: true },
    },
    {
      title: 'saved: leaving is free',
      moves: [typed, submit, valid, done('save', undefined), leave],
      ends: ends('saved'),
      does: ['form.saved', 'leave.allowed'],
    },
  ],
  invariants: [
    always(
      'at most one save in flight',
      ({ before, effects }) =>
        !effects.some(({ type, id }) => type === 'asks' && id === 'save') || !before.matches({ work: 'submitting' }),
    ),
    always(
      'nothing is saved that was not checked',
      ({ before, move, effects }) =>
        !effects.some(({ type, id }) => type === 'asks' && id === 'save') ||
        (before.matches({ work: 'validating' }) && move?.type === 'xstate.done.actor.validation'),
    ),
    always(
      "'Saving...' exactly while submitting",
      ({ after: s }) => s.hasTag('submitting') === (s.matches({ work: 'validating' }) || s.matches({ work: 'submitting' })),
    ),
    always(
      'unsaved changes are left only after asking',
      (step) => !did(step, 'leave.allowed') || !step.before.context.dirty || step.move?.type === 'leave.confirmed',
    ),
    always(
      'a save that runs or whose end is not known is left only after asking',
      (step) =>
        !did(step, 'leave.allowed') ||
        !(step.before.context.unknown || step.before.matches({ work: 'submitting' })) ||
        step.move?.type === 'leave.confirmed',
    ),
    always('what is saved is clean', (step) => !did(step, 'form.saved') || !step.after.context.dirty),
  ],
}
