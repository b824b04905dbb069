import { assign, setup } from 'xstate'
import { maxCustomRole } from '../../contract/core/limits'
import { port } from '../port'

/** `dismissed`: dismissed in this session (R10). */
export type QuestionnaireStatus = 'seen' | 'dismissed' | 'due'

export const ports = {
  standing: port<QuestionnaireStatus>('standing'),
  /** POST /interstitials/USER_ONBOARDING_INFO_COLLECTION */
  recording: port<void>('recording'),
  /** POST /user_profile with the answers; the answers themselves never enter the chart. */
  saving: port<void>('saving'),
}

export type QuestionnaireEvent =
  | { type: 'session.opened' }
  | { type: 'session.closed' }
  /** Another modal opens; no other modal is open. */
  | { type: 'stage.taken' }
  | { type: 'stage.freed' }
  | { type: 'role.chosen'; role: string }
  | { type: 'customRole.typed'; length: number }
  | { type: 'questionnaire.submitted' }
  | { type: 'questionnaire.dismissed' }

/** `other`: the custom role is shown; `tooLong`: 'Role must be 100 characters or less'. */
export type QuestionnaireTag = 'visible' | 'other' | 'tooLong' | 'submitting'

export const questionnaireMachine = setup({
  types: {
    context: {} as { free: boolean; length: number },
    events: {} as QuestionnaireEvent,
    tags: {} as QuestionnaireTag,
  },
  actors: ports,
  delays: { timeout: 15_000 },
  guards: {
    isDue: (_, p: { standing: QuestionnaireStatus }) => p.standing === 'due',
    isFree: ({ context }) => context.free,
    isOther: (_, p: { role: string }) => p.role === 'other',
    isTooLong: ({ context }) => context.length > maxCustomRole,
    wouldBeTooLong: (_, p: { length: number }) => p.length > maxCustomRole,
  },
  actions: {
    noteTaken: assign({ free: false }),
    noteFree: assign({ free: true }),
    measure: assign({ length: (_, p: { length: number }) => p.length }),
    startBlank: assign({ length: 0 }),
    /** The application provides these two: R9, keep the draft; R10, do not show again in this session. */
    keepDraft: () => {},
    rememberDismissal: () => {},
  },
}).createMachine({
  id: 'questionnaire',
  context: { free: true, length: 0 },
  initial: 'asleep',
  on: {
    'session.closed': '.asleep',
    'stage.taken': { actions: 'noteTaken' },
    'stage.freed': { actions: 'noteFree' },
  },
  states: {
    asleep: { on: { 'session.opened': 'checking' } },
    checking: {
      invoke: {
        id: 'standing',
        src: 'standing',
        onDone: [
          { guard: { type: 'isDue', params: ({ event }) => ({ standing: event.output }) }, target: 'waiting' },
          { target: 'seen' },
        ],
        onError: 'seen',
      },
      after: { timeout: 'seen' },
    },
    seen: {},
    waiting: { always: { guard: 'isFree', target: 'open' } },
    open: {
      tags: 'visible',
      entry: 'startBlank',
      on: {
        'role.chosen': [{ guard: { type: 'isOther', params: ({ event }) => event }, target: '.other' }, { target: '.listed' }],
        'questionnaire.submitted': 'submitting',
        'questionnaire.dismissed': { target: 'closed', actions: 'rememberDismissal' },
      },
      initial: 'listed',
      states: {
        listed: {},
        other: {
          tags: 'other',
          on: {
            'customRole.typed': [
              {
                guard: { type: 'wouldBeTooLong', params: ({ event }) => event },
                target: '.tooLong',
                actions: { type: 'measure', params: ({ event }) => event },
              },
              { target: '.fitting', actions: { type: 'measure', params: ({ event }) => event } },
            ],
          },
          initial: 'measuring',
          states: {
            // Text typed before another role was selected is still there.
            measuring: { always: [{ guard: 'isTooLong', target: 'tooLong' }, { target: 'fitting' }] },
            fitting: {},
            // Nothing is sent while the text is too long.
            tooLong: { tags: 'tooLong', on: { 'questionnaire.submitted': {} } },
          },
        },
      },
    },
    submitting: {
      tags: ['visible', 'submitting'],
      entry: 'keepDraft',
      initial: 'recordingSeen',
      states: {
        // First the record that it was seen, then the answers; it closes without a message even if they fail.
        recordingSeen: {
          invoke: { id: 'recording', src: 'recording', onDone: 'saving', onError: '#questionnaire.closed' },
          after: { timeout: '#questionnaire.closed' },
        },
        saving: {
          invoke: { id: 'saving', src: 'saving', onDone: '#questionnaire.closed', onError: '#questionnaire.closed' },
          after: { timeout: '#questionnaire.closed' },
        },
      },
    },
    closed: {},
  },
})
