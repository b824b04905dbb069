import { model } from '../model'
import { connectionMachine, ports } from './connection.machine'

export const connectionModel = model(ports, {
  machine: connectionMachine,
  starts: { fresh: undefined },
  events: {
    'connection.lost': [{ type: 'connection.lost' }],
    'connection.restored': [{ type: 'connection.restored' }],
  },
  answers: {},
})
