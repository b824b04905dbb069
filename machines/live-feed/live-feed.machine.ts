import { assign, emit, setup } from 'xstate'
import { eventPort } from '../port'

type FeedFact =
  | { type: 'feed.opened' }
  /** The application keeps the entries `first` to `last` of the sequence; the chart decides which of them are new. */
  | { type: 'entries.received'; first: number; last: number }
  | { type: 'feed.broken' }

export const ports = {
  /** All entries after `after`, oldest first, then new ones. */
  feed: eventPort<FeedFact, { after: number }>('feed'),
}

export type LiveFeedEvent =
  | FeedFact
  | { type: 'feed.started'; after: number }
  | { type: 'feed.paused' }
  | { type: 'feed.resumed' }
  | { type: 'feed.stopped' }
  | { type: 'connection.restored' }

/** Show these entries, each once. */
export type LiveFeedAnnouncement = { type: 'entries.accepted'; first: number; last: number }
export type LiveFeedTag = 'busy' | 'live' | 'waiting' | 'paused'

export const liveFeedMachine = setup({
  types: {
    context: {} as { after: number; attempts: number },
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
    // A gap is never skipped: the feed is requested again from the last entry.
    isGap: ({ context }, p: { first: number }) => p.first > context.after + 1,
    isNews: ({ context }, p: { last: number }) => p.last > context.after,
  },
  actions: {
    startAfter: assign({ after: (_, p: { after: number }) => p.after, attempts: 0 }),
    settle: assign({ attempts: 0 }),
    accept: emit(({ context }, p: { last: number }) => ({ type: 'entries.accepted', first: context.after + 1, last: p.last })),
    move: assign({ after: (_, p: { last: number }) => p.last }),
    countAttempt: assign({ attempts: ({ context }) => Math.min(6, context.attempts + 1) }),
  },
}).createMachine({
  id: 'liveFeed',
  context: { after: 0, attempts: 0 },
  initial: 'stopped',
  on: {
    'feed.started': { target: '.open', actions: { type: 'startAfter', params: ({ event }) => event } },
    'feed.stopped': '.stopped',
  },
  states: {
    stopped: {},
    open: {
      invoke: { id: 'feed', src: 'feed', input: ({ context }) => ({ after: context.after }) },
      on: { 'feed.broken': 'waiting', 'feed.paused': 'paused' },
      initial: 'connecting',
      states: {
        connecting: { tags: 'busy', after: { timeout: '#liveFeed.waiting' }, on: { 'feed.opened': 'live' } },
        live: {
          tags: 'live',
          entry: 'settle',
          on: {
            'entries.received': [
              { guard: { type: 'isGap', params: ({ event }) => event }, target: '#liveFeed.waiting' },
              {
                guard: { type: 'isNews', params: ({ event }) => event },
                actions: [
                  { type: 'accept', params: ({ event }) => event },
                  { type: 'move', params: ({ event }) => event },
                ],
              },
            ],
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
