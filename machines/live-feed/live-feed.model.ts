import { model } from '../model'
import { liveFeedMachine, ports } from './live-feed.machine'

export const liveFeedModel = model(ports, {
  machine: liveFeedMachine,
  starts: { fresh: undefined },
  events: {
    'feed.started': [{ type: 'feed.started' }],
    'feed.opened': [{ type: 'feed.opened' }],
    'entry.received': [
      { type: 'entry.received', id: 'a' },
      { type: 'entry.received', id: 'b' },
      { type: 'entry.received', id: null },
    ],
    'feed.broken': [{ type: 'feed.broken' }],
    'feed.paused': [{ type: 'feed.paused' }],
    'feed.resumed': [{ type: 'feed.resumed' }],
    'feed.stopped': [{ type: 'feed.stopped' }],
    'connection.restored': [{ type: 'connection.restored' }],
  },
  answers: {},
})
