import { emit, setup } from 'xstate'
import { eventPort } from '../port'

export type ConnectionEvent = { type: 'connection.lost' } | { type: 'connection.restored' }
/** For charts that retry at once. */
export type ConnectionAnnouncement = { type: 'connection.restored' }

/** The browser's online and offline events, the current state first. */
export const ports = { network: eventPort<ConnectionEvent>('network') }

export const connectionMachine = setup({
  types: { events: {} as ConnectionEvent, emitted: {} as ConnectionAnnouncement, tags: {} as 'online' | 'offline' },
  actors: ports,
  actions: { announceRestored: emit({ type: 'connection.restored' }) },
}).createMachine({
  id: 'connection',
  invoke: { id: 'network', src: 'network' },
  initial: 'online',
  states: {
    online: { tags: 'online', on: { 'connection.lost': 'offline' } },
    offline: { tags: 'offline', on: { 'connection.restored': { target: 'online', actions: 'announceRestored' } } },
  },
})
