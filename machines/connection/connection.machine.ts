import { emit, setup } from 'xstate'
import { eventPort } from '../port'

export type ConnectionEvent = { type: 'connection.lost' } | { type: 'connection.restored' }
/** For the charts that try again at once. */
export type ConnectionAnnouncement = { type: 'connection.restored' }

/** What the browser says about its line, the present state first. */
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
