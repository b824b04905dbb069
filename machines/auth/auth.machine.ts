import { assign, emit, setup } from 'xstate'
import { port, statusOf } from '../port'

/** The six check characters of a token. The token itself never enters a chart. */
export type SessionTag = string
/** What the URL fragment and the storage held: a code for the stored state, a token, or neither. */
export type Arrival = { found: 'code' } | { found: 'token'; sessionTag: SessionTag } | { found: 'nothing' }
/** `rounds`: returns from the sign-in host within the last 60 s. */
export type Departure = { storage: 'works' | 'blocked'; rounds: number }
export type StuckReason = 'loop' | 'storage' | 'exchange' | 'departure'

export const ports = {
  arrival: port<Arrival>('arrival'),
  exchange: port<{ sessionTag: SessionTag }>('exchange'),
  self: port<void>('self'),
  signOut: port<void>('signOut'),
  departure: port<Departure>('departure'),
}

type Context = { sessionTag: SessionTag | null; automatic: boolean; reason: StuckReason | null }

export type AuthEvent =
  | { type: 'session.refused'; sessionTag: SessionTag | null }
  | { type: 'signOut.asked' }
  | { type: 'signIn.asked' }
  | { type: 'token.removedElsewhere' }
  | { type: 'token.changedElsewhere'; sessionTag: SessionTag }
  | { type: 'retry.asked' }
  | { type: 'connection.restored' }
  | { type: 'page.returned' }

export type AuthAnnouncement =
  /** A code was redeemed: go to the path and query from before the sign-in. */
  | { type: 'signIn.returned' }
  | { type: 'session.opened' }
  | { type: 'session.closed' }
  /** Store the current path and query and send the browser to the sign-in host. */
  | { type: 'signIn.left'; automatic: boolean }

export type AuthTag = 'busy' | 'settled' | 'signedIn' | 'redirecting' | 'unreachable' | 'stuck'

const tagOf = (arrival: Arrival): SessionTag | null => (arrival.found === 'token' ? arrival.sessionTag : null)

export const authMachine = setup({
  types: {
    context: {} as Context,
    events: {} as AuthEvent,
    emitted: {} as AuthAnnouncement,
    tags: {} as AuthTag,
  },
  actors: ports,
  delays: { timeout: 15_000, signOutLimit: 3000 },
  guards: {
    foundCode: (_, p: { arrival: Arrival }) => p.arrival.found === 'code',
    foundToken: (_, p: { arrival: Arrival }) => p.arrival.found === 'token',
    isRefused: (_, p: { error: unknown }) => statusOf(p.error) === 401,
    isOurs: ({ context }, p: { sessionTag: SessionTag | null }) => p.sessionTag === context.sessionTag,
    isAnother: ({ context }, p: { sessionTag: SessionTag }) => p.sessionTag !== context.sessionTag,
    isBlocked: (_, p: Departure) => p.storage === 'blocked',
    // Loop guard: no third round by itself within a minute.
    isLooping: ({ context }, p: Departure) => context.automatic && p.rounds >= 2,
  },
  actions: {
    adopt: assign({ sessionTag: (_, p: { sessionTag: SessionTag | null }) => p.sessionTag }),
    goAlone: assign({ automatic: true }),
    goAsAsked: assign({ automatic: false }),
    explain: assign({ reason: (_, p: { reason: StuckReason }) => p.reason }),
    forgetToken: assign({ sessionTag: null }),
    // The application provides these three actions.
    clearToken: () => {},
    forgetEverything: () => {},
    resetAnalytics: () => {},
    announceReturn: emit({ type: 'signIn.returned' }),
    announceOpened: emit({ type: 'session.opened' }),
    announceClosed: emit({ type: 'session.closed' }),
    announceLeft: emit(({ context }) => ({ type: 'signIn.left', automatic: context.automatic })),
  },
}).createMachine({
  id: 'auth',
  context: { sessionTag: null, automatic: true, reason: null },
  initial: 'restoring',
  states: {
    restoring: {
      tags: 'busy',
      invoke: {
        id: 'arrival',
        src: 'arrival',
        onDone: [
          { guard: { type: 'foundCode', params: ({ event }) => ({ arrival: event.output }) }, target: 'exchanging' },
          {
            guard: { type: 'foundToken', params: ({ event }) => ({ arrival: event.output }) },
            target: 'holding',
            actions: { type: 'adopt', params: ({ event }) => ({ sessionTag: tagOf(event.output) }) },
          },
          { target: 'leaving', actions: 'goAlone' },
        ],
        // Storage and URL are read at once or fail: no timeout is needed.
        onError: { target: 'stuck', actions: { type: 'explain', params: { reason: 'storage' } } },
      },
    },
    exchanging: {
      tags: 'busy',
      invoke: {
        id: 'exchange',
        src: 'exchange',
        onDone: {
          target: 'holding',
          actions: [{ type: 'adopt', params: ({ event }) => event.output }, 'announceReturn'],
        },
        onError: { target: 'stuck', actions: { type: 'explain', params: { reason: 'exchange' } } },
      },
      after: { timeout: { target: 'stuck', actions: { type: 'explain', params: { reason: 'exchange' } } } },
    },
    // There is a token.
    holding: {
      on: {
        'session.refused': {
          guard: { type: 'isOurs', params: ({ event }) => event },
          target: 'clearing',
          actions: 'goAlone',
        },
        'signOut.asked': 'signingOut',
        'token.removedElsewhere': { target: 'clearing', actions: 'goAsAsked' },
        'token.changedElsewhere': {
          guard: { type: 'isAnother', params: ({ event }) => event },
          target: '.verifying',
          actions: ['forgetEverything', { type: 'adopt', params: ({ event }) => event }],
        },
      },
      initial: 'verifying',
      states: {
        verifying: {
          tags: 'busy',
          invoke: {
            id: 'self',
            src: 'self',
            onDone: 'signedIn',
            onError: [
              {
                guard: { type: 'isRefused', params: ({ event }) => ({ error: event.error }) },
                target: '#auth.clearing',
                actions: 'goAlone',
              },
              { target: 'unreachable' },
            ],
          },
          after: { timeout: 'unreachable' },
        },
        unreachable: {
          tags: ['settled', 'unreachable'],
          on: { 'retry.asked': 'verifying', 'connection.restored': 'verifying' },
        },
        signedIn: { tags: ['settled', 'signedIn'], entry: 'announceOpened', exit: 'announceClosed' },
      },
    },
    signingOut: {
      tags: 'busy',
      entry: 'goAsAsked',
      // §4, R8: the local part runs whatever the answer is, and waits for it only for a short time.
      invoke: { id: 'signOut', src: 'signOut', onDone: 'clearing', onError: 'clearing' },
      after: { signOutLimit: 'clearing' },
    },
    clearing: {
      tags: 'redirecting',
      entry: ['clearToken', 'forgetToken', 'forgetEverything', 'resetAnalytics'],
      always: 'leaving',
    },
    leaving: {
      tags: 'redirecting',
      invoke: {
        id: 'departure',
        src: 'departure',
        onDone: [
          {
            guard: { type: 'isBlocked', params: ({ event }) => event.output },
            target: 'stuck',
            actions: { type: 'explain', params: { reason: 'storage' } },
          },
          {
            guard: { type: 'isLooping', params: ({ event }) => event.output },
            target: 'stuck',
            actions: { type: 'explain', params: { reason: 'loop' } },
          },
          { target: 'gone' },
        ],
        onError: { target: 'stuck', actions: { type: 'explain', params: { reason: 'departure' } } },
      },
      after: { timeout: { target: 'stuck', actions: { type: 'explain', params: { reason: 'departure' } } } },
    },
    gone: {
      tags: 'redirecting',
      entry: 'announceLeft',
      // The browser's Back button may restore the page from its cache (bfcache): T-27.
      on: { 'page.returned': 'restoring' },
    },
    stuck: {
      tags: ['settled', 'stuck'],
      on: {
        'signIn.asked': { target: 'leaving', actions: 'goAsAsked' },
        'token.changedElsewhere': { target: 'holding', actions: { type: 'adopt', params: ({ event }) => event } },
      },
    },
  },
})
