import { assign, emit, setup } from 'xstate'
import { leavesUnknown } from '../../contract/core/errors'
import type { FieldError } from '../../contract/core/field-errors'
import { port, statusOf } from '../port'
import { type PortFailure, portFailure } from '../port-failure'

export const ports = {
  /** The schema's problems with the current values; an empty list if there are none. */
  validation: port<FieldError[]>('validation'),
  save: port<void>('save'),
}

/** Why a submit failed as a whole. */
export type FormFailure = PortFailure
/** `saving`: a save was sent. `unknown`: whether it was done is not known. */
type Context = { dirty: boolean; saving: boolean; unknown: boolean; problems: FieldError[]; failure: FormFailure | null }

export type FormEvent =
  | { type: 'form.changed'; dirty: boolean }
  | { type: 'form.submitted' }
  | { type: 'leave.asked' }
  | { type: 'leave.confirmed' }
  | { type: 'leave.declined' }

export type FormAnnouncement =
  | { type: 'form.saved' }
  /** Put the focus on the first field with a problem. */
  | { type: 'form.refused' }
  | { type: 'leave.allowed' }
  | { type: 'leave.refused' }

export type FormTag = 'submitting' | 'saved' | 'asking'

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
const isFieldError = (value: unknown): value is FieldError =>
  isObject(value) && typeof value.field === 'string' && typeof value.message === 'string'
const problemsOf = (error: unknown): FieldError[] =>
  statusOf(error) === 422 && isObject(error) && Array.isArray(error.details) ? error.details.filter(isFieldError) : []
const failing = ({ event }: { event: { error: unknown } }) => ({ failure: portFailure(event.error) })
const timedOut: FormFailure = { status: 0, code: 'time_out', requestId: null }

export const formMachine = setup({
  types: {
    context: {} as Context,
    events: {} as FormEvent,
    emitted: {} as FormAnnouncement,
    tags: {} as FormTag,
  },
  actors: ports,
  delays: { timeout: 30_000 },
  guards: {
    isSettled: ({ context }) => !context.dirty && !context.saving && !context.unknown,
    isUnanswered: (_, p: { failure: FormFailure }) => leavesUnknown(p.failure),
    /** The key of a save whose answer was lost belongs to a request that was carried out. */
    isDone: (_, p: { failure: FormFailure }) => p.failure.code === 'idempotency_mismatch',
    hasProblems: (_, p: { problems: FieldError[] }) => p.problems.length > 0,
  },
  actions: {
    noteChange: assign({ dirty: (_, p: { dirty: boolean }) => p.dirty }),
    beginSave: assign({ saving: true }),
    endSave: assign({ saving: false }),
    noteUnknown: assign({ unknown: true }),
    noteKnown: assign({ unknown: false }),
    clean: assign({ dirty: false, unknown: false }),
    clear: assign({ problems: [], failure: null }),
    show: assign({ problems: (_, p: { problems: FieldError[] }) => p.problems }),
    fail: assign({ failure: (_, p: { failure: FormFailure }) => p.failure }),
    announceSaved: emit({ type: 'form.saved' }),
    announceRefused: emit({ type: 'form.refused' }),
    allowLeave: emit({ type: 'leave.allowed' }),
    refuseLeave: emit({ type: 'leave.refused' }),
  },
}).createMachine({
  id: 'form',
  context: { dirty: false, saving: false, unknown: false, problems: [], failure: null },
  type: 'parallel',
  states: {
    work: {
      initial: 'editing',
      states: {
        editing: {
          on: {
            'form.changed': { actions: { type: 'noteChange', params: ({ event }) => event } },
            'form.submitted': 'validating',
          },
        },
        validating: {
          tags: 'submitting',
          entry: 'clear',
          invoke: {
            id: 'validation',
            src: 'validation',
            onDone: [
              {
                guard: { type: 'hasProblems', params: ({ event }) => ({ problems: event.output }) },
                target: 'editing',
                actions: [{ type: 'show', params: ({ event }) => ({ problems: event.output }) }, 'announceRefused'],
              },
              { target: 'submitting' },
            ],
            onError: {
              target: 'editing',
              actions: { type: 'fail', params: failing },
            },
          },
          after: { timeout: { target: 'editing', actions: { type: 'fail', params: { failure: timedOut } } } },
        },
        submitting: {
          tags: 'submitting',
          entry: 'beginSave',
          exit: 'endSave',
          invoke: {
            id: 'save',
            src: 'save',
            onDone: 'saved',
            onError: [
              {
                guard: { type: 'hasProblems', params: ({ event }) => ({ problems: problemsOf(event.error) }) },
                target: 'editing',
                actions: [{ type: 'show', params: ({ event }) => ({ problems: problemsOf(event.error) }) }, 'announceRefused'],
              },
              {
                guard: { type: 'isUnanswered', params: failing },
                target: 'editing',
                actions: [{ type: 'fail', params: failing }, 'noteUnknown'],
              },
              {
                guard: { type: 'isDone', params: failing },
                target: 'editing',
                actions: [{ type: 'fail', params: failing }, 'noteKnown'],
              },
              {
                target: 'editing',
                actions: { type: 'fail', params: failing },
              },
            ],
          },
          after: { timeout: { target: 'editing', actions: [{ type: 'fail', params: { failure: timedOut } }, 'noteUnknown'] } },
        },
        saved: {
          tags: 'saved',
          entry: ['clean', 'announceSaved'],
          on: {
            'form.changed': { target: 'editing', actions: { type: 'noteChange', params: ({ event }) => event } },
            'form.submitted': 'validating',
          },
        },
      },
    },
    leaving: {
      initial: 'staying',
      states: {
        staying: {
          on: { 'leave.asked': [{ guard: 'isSettled', actions: 'allowLeave' }, { target: 'asking' }] },
        },
        asking: {
          tags: 'asking',
          // The save has ended behind the question.
          always: { guard: 'isSettled', target: 'staying', actions: 'refuseLeave' },
          on: {
            'leave.confirmed': { target: 'staying', actions: ['clean', 'allowLeave'] },
            'leave.declined': { target: 'staying', actions: 'refuseLeave' },
          },
        },
      },
    },
  },
})
