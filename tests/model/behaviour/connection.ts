import type { ConnectionEvent } from '../../../machines/connection/connection.machine'
import { always, type Behaviour, did } from './behaviour'

const lost: ConnectionEvent = { type: 'connection.lost' }
const restored: ConnectionEvent = { type: 'connection.restored' }

export const connection: Behaviour<ConnectionEvent> = {
  stories: [
    { title: 'online by default', moves: [restored], ends: 'online', does: [] },
    { title: '§1: offline', moves: [lost, lost], ends: 'offline', does: [] },
    { title: 'restored, with one notice', moves: [lost, restored, restored], ends: 'online', does: ['connection.restored'] },
  ],
  invariants: [
    always(
      'the banner stands exactly while there is no line',
      ({ before, move, after: s }) =>
        move === null ||
        s.matches('offline') ===
          (move.type === 'connection.lost' || (before.matches('offline') && move.type !== 'connection.restored')),
    ),
    always(
      'told exactly when it comes back',
      (step) => did(step, 'connection.restored') === (step.before.matches('offline') && step.after.matches('online')),
    ),
  ],
}
