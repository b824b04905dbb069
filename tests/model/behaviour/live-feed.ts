import type { LiveFeedEvent } from '../../../machines/live-feed/live-feed.machine'
import { after, always, type Behaviour, did } from './behaviour'

const start: LiveFeedEvent = { type: 'feed.started', after: 4 }
const opened: LiveFeedEvent = { type: 'feed.opened' }
const broken: LiveFeedEvent = { type: 'feed.broken' }
const got = (first: number, last: number): LiveFeedEvent => ({ type: 'entries.received', first, last })

export const liveFeed: Behaviour<LiveFeedEvent> = {
  stories: [
    { title: 'asks for the entries after the last one shown', moves: [start], ends: 'open.connecting', asks: { after: 4 } },
    {
      title: 'shows new entries',
      moves: [start, opened, got(5, 6)],
      ends: 'open.live',
      does: ['entries.accepted'],
      holds: { after: 6 },
    },
    {
      title: 'entries shown before are not shown twice',
      moves: [start, opened, got(5, 6), got(5, 6)],
      ends: 'open.live',
      does: ['entries.accepted'],
      holds: { after: 6 },
    },
    {
      title: 'a gap is asked for again from where it stopped',
      moves: [start, opened, got(6, 8), after('backOff')],
      ends: 'open.connecting',
      does: [],
      holds: { after: 4 },
      asks: { after: 4 },
    },
    {
      title: 'a broken feed waits and resumes',
      moves: [start, opened, got(5, 6), broken, after('backOff')],
      ends: 'open.connecting',
      asks: { after: 6 },
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
      title: 'paused, and nothing is shown',
      moves: [start, opened, { type: 'feed.paused' }, got(5, 6)],
      ends: 'paused',
      does: [],
    },
    {
      title: 'resumed without a loss',
      moves: [start, opened, { type: 'feed.paused' }, { type: 'feed.resumed' }],
      ends: 'open.connecting',
      asks: { after: 4 },
    },
    { title: 'paused while waiting', moves: [start, broken, { type: 'feed.paused' }], ends: 'paused' },
    { title: 'stopped', moves: [start, opened, { type: 'feed.stopped' }], ends: 'stopped' },
    {
      title: 'a restart resets the count of waits',
      moves: [start, broken, start],
      ends: 'open.connecting',
      holds: { attempts: 0 },
    },
  ],
  invariants: [
    {
      says: 'nothing is lost or doubled: accepted entries follow without a gap',
      holds: (steps) =>
        steps.every(({ before, effects }) =>
          effects.every(({ type, first }) => type !== 'entries.accepted' || first === before.context.after + 1),
        ),
    },
    always(
      'the place moves exactly with what is accepted',
      (step) =>
        step.move?.type !== 'entries.received' ||
        (step.after.context.after !== step.before.context.after) === did(step, 'entries.accepted'),
    ),
    always('nothing is accepted but while live', (step) => !did(step, 'entries.accepted') || step.before.hasTag('live')),
    always(
      'back-off is 1 to 30 s',
      ({ after: s, effects }) =>
        !s.matches('waiting') ||
        effects.every(({ type, delay }) => type !== 'waits' || delay === Math.min(30_000, 1000 * 2 ** (s.context.attempts - 1))),
    ),
  ],
}
