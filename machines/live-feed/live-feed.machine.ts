import { assign, emit, setup } from 'xstate'
import { eventPort } from '../port'

type FeedFact =
  | { type: 'feed.opened' }
  /** The stream gives a name only to what it repeats after an interruption. */
  | { type: 'entry.received'; id: string | null }
  | { type: 'feed.broken' }

export const ports = {
  /** All entries after this one, oldest first, possibly some before it once more, then new ones. */
  feed: eventPort<FeedFact, { after: string | null }>('feed'),
}

export type LiveFeedEvent =
  | FeedFact
  | { type: 'feed.started' }
  | { type: 'feed.paused' }
  | { type: 'feed.resumed' }
  | { type: 'feed.stopped' }
  | { type: 'connection.restored' }

/** An entry that was not received before. */
export type LiveFeedAnnouncement = { type: 'entry.accepted' }
export type LiveFeedTag = 'busy' | 'live' | 'waiting' | 'paused'

/** More than a server repeats after an interruption. */
export const rememberedEntries = 5000

type Context = {
  /** The newest entries by name, the last one received at the end. */
  known: string[]
  attempts: number
}

export const liveFeedMachine = setup({
  types: {
    context: {} as Context,
    events: {} as LiveFeedEvent,
    emitted: {} as LiveFeedAnnouncement,
    tags: {} as LiveFeedTag,
  },
  actors: ports,
  delays: {
    timeout: 15_000,
    backOff: ({ context }) => Math.min(30_000, 1000 * 2 ** (context.attempts - 1)),
  },
  guards: {
    isNews: ({ context }, p: { id: string | null }) => p.id === null || !context.known.includes(p.id),
  },
  actions: {
    forget: assign({ known: [], attempts: 0 }),
    settle: assign({ attempts: 0 }),
    accept: emit({ type: 'entry.accepted' }),
    remember: assign({
      known: ({ context }, p: { id: string | null }) =>
        p.id === null ? context.known : [...context.known, p.id].slice(-rememberedEntries),
    }),
    countAttempt: assign({ attempts: ({ context }) => Math.min(6, context.attempts + 1) }),
  },
}).createMachine({
  id: 'liveFeed',
  context: { known: [], attempts: 0 },
  initial: 'stopped',
  on: {
    'feed.started': { target: '.open', actions: 'forget' },
    'feed.stopped': '.stopped',
  },
  states: {
    stopped: {},
    open: {
      invoke: { id: 'feed', src: 'feed', input: ({ context }) => ({ after: context.known.at(-1) ?? null }) },
      on: { 'feed.broken': 'waiting', 'feed.paused': 'paused' },
      initial: 'connecting',
      states: {
        connecting: { tags: 'busy', after: { timeout: '#liveFeed.waiting' }, on: { 'feed.opened': 'live' } },
        live: {
          tags: 'live',
          entry: 'settle',
          on: {
            'entry.received': {
              guard: { type: 'isNews', params: ({ event }) => event },
              actions: ['accept', { type: 'remember', params: ({ event }) => event }],
            },
          },
        },
      },
    },
    waiting: {
      tags: 'waiting',
      entry: 'countAttempt',
      after: { backOff: 'open' },
      on: { 'connection.restored': 'open', 'feed.paused': 'paused' },
    },
    paused: { tags: 'paused', on: { 'feed.resumed': 'open' } },
  },
})
