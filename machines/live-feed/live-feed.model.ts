import { model } from '../model'
import { liveFeedMachine, ports } from './live-feed.machine'

export const liveFeedModel = model(ports, {
  machine: liveFeedMachine,
  starts: { fresh: undefined },
  events: {
    'feed.started': [{ type: 'feed.started', after: 4 }],
    'feed.opened': [{ type: 'feed.opened' }],
    'entries.received': [
      { type: 'entries.received', first: 5, last: 6 },
      { type: 'entries.received', first: 6, last: 8 },
      { type: 'entries.received', first: 9, last: 9 },
    ],
    'feed.broken': [{ type: 'feed.broken' }],
    'feed.paused': [{ type: 'feed.paused' }],
    'feed.resumed': [{ type: 'feed.resumed' }],
    'feed.stopped': [{ type: 'feed.stopped' }],
    'connection.restored': [{ type: 'connection.restored' }],
  },
  answers: {},
})
