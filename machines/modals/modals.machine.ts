import { assign, emit, setup } from 'xstate'

/** The view keeps the content of a dialog under its id. A confirm dialog closes on either answer unless `stays` is set. */
export type Modal = { id: string; kind: 'plain' | 'confirm'; stays?: boolean; title?: string }
type Context = { stack: Modal[]; leaving: Modal[] }

export type ModalsEvent =
  | { type: 'modal.opened'; modal: Modal }
  | { type: 'modal.updated'; id: string; title: string }
  | { type: 'modal.closed'; id: string }
  | { type: 'modals.closed' }
  | { type: 'confirm.accepted'; id: string }
  | { type: 'confirm.declined'; id: string }

export type ModalsAnnouncement =
  | { type: 'confirm.accepted' | 'confirm.declined'; id: string }
  | { type: 'stage.taken' | 'stage.freed' }
type Id = { id: string }

const has = (stack: Modal[], id: string) => stack.some((modal) => modal.id === id)
const isConfirm = (stack: Modal[], id: string) => stack.some((modal) => modal.id === id && modal.kind === 'confirm')
const stays = (stack: Modal[], id: string) => stack.some((modal) => modal.id === id && modal.stays)

export const modalsMachine = setup({
  types: {
    context: {} as Context,
    events: {} as ModalsEvent,
    emitted: {} as ModalsAnnouncement,
    tags: {} as 'visible',
  },
  // §9
  delays: { slot: 200 },
  guards: {
    isNew: ({ context }, p: { modal: Modal }) => !has(context.stack, p.modal.id),
    isLast: ({ context }, p: Id) => context.stack.length === 1 && has(context.stack, p.id),
    isAsked: ({ context }, p: Id) => isConfirm(context.stack, p.id),
    isLastAsked: ({ context }, p: Id) =>
      context.stack.length === 1 && isConfirm(context.stack, p.id) && !stays(context.stack, p.id),
  },
  actions: {
    push: assign({
      stack: ({ context }, p: { modal: Modal }) => [...context.stack, p.modal],
      leaving: ({ context }, p) => context.leaving.filter(({ id }) => id !== p.modal.id),
    }),
    change: assign({
      stack: ({ context }, p: { id: string; title: string }) =>
        context.stack.map((modal) => (modal.id === p.id ? { ...modal, title: p.title } : modal)),
    }),
    remove: assign(({ context }, p: Id) => ({
      stack: context.stack.filter(({ id }) => id !== p.id),
      leaving: context.stack.filter(({ id }) => id === p.id),
    })),
    removeUnlessItStays: assign(({ context }, p: Id) => {
      const goes = ({ id, stays }: Modal) => id === p.id && !stays
      return { stack: context.stack.filter((modal) => !goes(modal)), leaving: context.stack.filter(goes) }
    }),
    removeAll: assign({ stack: [], leaving: ({ context }) => context.stack }),
    forgetLeaving: assign({ leaving: [] }),
    announceAccepted: emit((_, p: Id) => ({ type: 'confirm.accepted', id: p.id })),
    announceDeclined: emit((_, p: Id) => ({ type: 'confirm.declined', id: p.id })),
    announceTaken: emit({ type: 'stage.taken' }),
    announceFreed: emit({ type: 'stage.freed' }),
  },
}).createMachine({
  id: 'modals',
  context: { stack: [], leaving: [] },
  initial: 'empty',
  states: {
    empty: {
      on: {
        'modal.opened': {
          target: 'showing',
          actions: [{ type: 'push', params: ({ event }) => event }, 'announceTaken'],
        },
      },
    },
    showing: {
      tags: 'visible',
      // Dialogs that were closed above or before the others. Each closing restarts the delay.
      after: { slot: { actions: 'forgetLeaving' } },
      on: {
        'modal.opened': {
          guard: { type: 'isNew', params: ({ event }) => event },
          actions: { type: 'push', params: ({ event }) => event },
        },
        'modal.updated': { actions: { type: 'change', params: ({ event }) => event } },
        'modal.closed': [
          {
            guard: { type: 'isLast', params: ({ event }) => event },
            target: 'leaving',
            actions: { type: 'remove', params: ({ event }) => event },
          },
          { target: 'showing', reenter: true, actions: { type: 'remove', params: ({ event }) => event } },
        ],
        'modals.closed': { target: 'leaving', actions: 'removeAll' },
        'confirm.accepted': [
          {
            guard: { type: 'isLastAsked', params: ({ event }) => event },
            target: 'leaving',
            actions: [
              { type: 'removeUnlessItStays', params: ({ event }) => event },
              { type: 'announceAccepted', params: ({ event }) => event },
            ],
          },
          {
            guard: { type: 'isAsked', params: ({ event }) => event },
            target: 'showing',
            reenter: true,
            actions: [
              { type: 'removeUnlessItStays', params: ({ event }) => event },
              { type: 'announceAccepted', params: ({ event }) => event },
            ],
          },
        ],
        'confirm.declined': [
          {
            guard: { type: 'isLastAsked', params: ({ event }) => event },
            target: 'leaving',
            actions: [
              { type: 'removeUnlessItStays', params: ({ event }) => event },
              { type: 'announceDeclined', params: ({ event }) => event },
            ],
          },
          {
            guard: { type: 'isAsked', params: ({ event }) => event },
            target: 'showing',
            reenter: true,
            actions: [
              { type: 'removeUnlessItStays', params: ({ event }) => event },
              { type: 'announceDeclined', params: ({ event }) => event },
            ],
          },
        ],
      },
    },
    // The exit animation; the focus has been restored already.
    leaving: {
      entry: 'announceFreed',
      after: { slot: { target: 'empty', actions: 'forgetLeaving' } },
      on: {
        'modal.opened': {
          target: 'showing',
          actions: [{ type: 'push', params: ({ event }) => event }, 'announceTaken'],
        },
      },
    },
  },
})
