import { failed, model } from '../model'
import { authMachine, ports } from './auth.machine'

export const authModel = model(ports, {
  machine: authMachine,
  starts: { cold: undefined },
  events: {
    'session.refused': [
      { type: 'session.refused', sessionTag: 'aaaaaa' },
      { type: 'session.refused', sessionTag: 'older0' },
    ],
    'signOut.asked': [{ type: 'signOut.asked' }],
    'signIn.asked': [{ type: 'signIn.asked' }],
    'token.removedElsewhere': [{ type: 'token.removedElsewhere' }],
    'token.changedElsewhere': [
      { type: 'token.changedElsewhere', sessionTag: 'aaaaaa' },
      { type: 'token.changedElsewhere', sessionTag: 'bbbbbb' },
    ],
    'retry.asked': [{ type: 'retry.asked' }],
    'connection.restored': [{ type: 'connection.restored' }],
    'page.returned': [{ type: 'page.returned' }],
  },
  answers: {
    arrival: {
      done: [{ found: 'code' }, { found: 'token', sessionTag: 'aaaaaa' }, { found: 'nothing' }],
      error: [failed(0)],
    },
    exchange: { done: [{ sessionTag: 'aaaaaa' }], error: [failed(400)] },
    self: { done: [undefined], error: [failed(401), failed(500), failed(0)] },
    signOut: { done: [undefined], error: [failed(500)] },
    departure: {
      done: [
        { storage: 'works', rounds: 0 },
        { storage: 'works', rounds: 2 },
        { storage: 'blocked', rounds: 0 },
      ],
      error: [failed(0)],
    },
  },
})
