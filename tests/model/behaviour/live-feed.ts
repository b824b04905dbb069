import { type LiveFeedEvent, rememberedEntries } from '../../../machines/live-feed/live-feed.machine'
import { after, always, type Behaviour, did } from './behaviour'

const start: LiveFeedEvent = { type: 'feed.started' }
const opened: LiveFeedEvent = { type: 'feed.opened' }
const broken: LiveFeedEvent = { type: 'feed.broken' }
const got = (id: string | null): LiveFeedEvent => ({ type: 'entry.received', id })

export const liveFeed: Behaviour<LiveFeedEvent> = {
  stories: [
    { title: 'asks for new entries only at first', moves: [start], ends: 'open.connecting', asks: { after: null } },
    {
      title: 'announces new entries',
      moves: [start, opened, got('a'), got('b')],
      ends: 'open.live',
      does: ['entry.accepted', 'entry.accepted'],
      holds: { known: ['a', 'b'] },
    },
    {
      title: 'an entry that was announced before is not announced twice',
      moves: [start, opened, got('a'), got('b'), got('a')],
      ends: 'open.live',
      does: ['entry.accepted', 'entry.accepted'],
      holds: { known: ['a', 'b'] },
    },
    {
      title: 'entries without a name are all announced, and not remembered',
      moves: [start, opened, got(null), got(null)],
      ends: 'open.live',
      does: ['entry.accepted', 'entry.accepted'],
      holds: { known: [] },
    },
    {
      title: 'a broken feed waits and resumes after the last named entry',
      moves: [start, opened, got('a'), got('b'), got(null), broken, after('backOff')],
      ends: 'open.connecting',
      asks: { after: 'b' },
    },
    {
      title: 'what is repeated after an interruption is not announced twice',
      moves: [start, opened, got('a'), broken, after('backOff'), opened, got('a'), got('b')],
      ends: 'open.live',
      does: ['entry.accepted', 'entry.accepted'],
    },
    {
      title: 'the oldest of too many entries is forgotten',
      moves: [start, opened, ...Array.from({ length: rememberedEntries }, (_, i) => got(`${i}`)), got('last'), got('0')],
      ends: 'open.live',
      holds: { known: [...Array.from({ length: rememberedEntries - 2 }, (_, i) => `${i + 2}`), 'last', '0'] },
    },
    {
      title: 'each wait is counted',
      moves: [start, broken, after('backOff'), after('timeout')],
      ends: 'waiting',
      holds: { attempts: 2 },
    },
    {
      title: 'being live resets the count of waits',
      moves: [start, broken, after('backOff'), opened],
      ends: 'open.live',
      holds: { attempts: 0 },
    },
    { title: 'connection restored: at once', moves: [start, broken, { type: 'connection.restored' }], ends: 'open.connecting' },
    {
      title: 'paused, and nothing is announced',
      moves: [start, opened, { type: 'feed.paused' }, got('a')],
      ends: 'paused',
      does: [],
    },
    {
      title: 'resumed without a loss',
      moves: [start, opened, got('a'), { type: 'feed.paused' }, { type: 'feed.resumed' }],
      ends: 'open.connecting',
      asks: { after: 'a' },
    },
    { title: 'paused while waiting', moves: [start, broken, { type: 'feed.paused' }], ends: 'paused' },
    { title: 'stopped', moves: [start, opened, { type: 'feed.stopped' }], ends: 'stopped' },
    {
      title: 'a restart forgets the entries and resets the count of waits',
      moves: [start, opened, got('a'), broken, start],
      ends: 'open.connecting',
      holds: { known: [], attempts: 0 },
    },
  ],
  invariants: [
    {
      says: 'no named entry is announced twice between two starts',
      holds: (steps) => {
        let seen = new Set<string>()
        return steps.every((step) => {
          if (step.move?.type === 'feed.started') seen = new Set()
          const id: unknown = step.move?.type === 'entry.received' ? Reflect.get(step.move, 'id') : null
          if (!did(step, 'entry.accepted') || typeof id !== 'string') return true
          const isNew = !seen.has(id)
          seen.add(id)
          return isNew
        })
      },
    },
    always(
      'an entry is remembered exactly when it has a name and is announced',
      (step) =>
        step.move?.type !== 'entry.received' ||
        step.after.context.known.length > step.before.context.known.length ===
          (did(step, 'entry.accepted') && Reflect.get(step.move, 'id') !== null),
    ),
    always('nothing is announced but while live', (step) => !did(step, 'entry.accepted') || step.before.hasTag('live')),
    always(
      'back-off is 1 to 30 s',
      ({ after: s, effects }) =>
        !s.matches('waiting') ||
        effects.every(({ type, delay }) => type !== 'waits' || delay === Math.min(30_000, 1000 * 2 ** (s.context.attempts - 1))),
    ),
  ],
}
