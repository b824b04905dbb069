import { assign, emit, setup } from 'xstate'

export type TourEvent =
  | { type: 'tour.started'; steps: number }
  | { type: 'step.advanced' }
  | { type: 'step.returned' }
  /** The element of the step is not on the page. */
  | { type: 'step.missing' }
  | { type: 'tour.left' }

export type TourAnnouncement = { type: 'tour.ended'; finished: boolean }

export const tourMachine = setup({
  types: {
    context: {} as { step: number; steps: number },
    events: {} as TourEvent,
    emitted: {} as TourAnnouncement,
    tags: {} as 'visible',
  },
  guards: {
    hasSteps: (_, p: { steps: number }) => p.steps > 0,
    isLast: ({ context }) => context.step >= context.steps - 1,
    isFirst: ({ context }) => context.step === 0,
  },
  actions: {
    begin: assign({ step: 0, steps: (_, p: { steps: number }) => p.steps }),
    advance: assign({ step: ({ context }) => context.step + 1 }),
    goBack: assign({ step: ({ context }) => context.step - 1 }),
    announceFinished: emit({ type: 'tour.ended', finished: true }),
    announceLeft: emit({ type: 'tour.ended', finished: false }),
  },
}).createMachine({
  id: 'tour',
  context: { step: 0, steps: 0 },
  initial: 'resting',
  states: {
    resting: {
      on: {
        'tour.started': {
          guard: { type: 'hasSteps', params: ({ event }) => event },
          target: 'showing',
          actions: { type: 'begin', params: ({ event }) => event },
        },
      },
    },
    showing: {
      tags: 'visible',
      on: {
        'step.advanced': [{ guard: 'isLast', target: 'resting', actions: 'announceFinished' }, { actions: 'advance' }],
        'step.missing': [{ guard: 'isLast', target: 'resting', actions: 'announceFinished' }, { actions: 'advance' }],
        'step.returned': [{ guard: 'isFirst' }, { actions: 'goBack' }],
        'tour.left': { target: 'resting', actions: 'announceLeft' },
      },
    },
  },
})
