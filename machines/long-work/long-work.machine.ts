import { emit, setup } from 'xstate'
import { port } from '../port'

export const ports = {
  /** The whole work, until it has its result. It stops when it is cancelled. */
  work: port<void>('work'),
}

export type LongWorkEvent =
  | { type: 'work.started' }
  /** The application keeps how far the work is. */
  | { type: 'work.progressed' }
  | { type: 'work.cancelled' }

export type LongWorkAnnouncement = { type: 'work.done' } | { type: 'work.failed' }
export type LongWorkTag = 'busy' | 'done' | 'failed' | 'cancelled'

export const longWorkMachine = setup({
  types: {
    events: {} as LongWorkEvent,
    emitted: {} as LongWorkAnnouncement,
    tags: {} as LongWorkTag,
  },
  actors: ports,
  delays: {
    // As long as an upload waits for its next byte.
    silence: 60_000,
  },
  actions: {
    announceResult: emit({ type: 'work.done' }),
    announceFailure: emit({ type: 'work.failed' }),
  },
}).createMachine({
  id: 'longWork',
  initial: 'idle',
  states: {
    idle: { on: { 'work.started': 'working' } },
    working: {
      tags: 'busy',
      invoke: {
        id: 'work',
        src: 'work',
        onDone: { target: 'ended.done', actions: 'announceResult' },
        onError: { target: 'ended.failed', actions: 'announceFailure' },
      },
      on: { 'work.cancelled': 'ended.cancelled' },
      initial: 'listening',
      states: {
        listening: {
          after: { silence: { target: '#longWork.ended.silent', actions: 'announceFailure' } },
          on: { 'work.progressed': { target: 'listening', reenter: true } },
        },
      },
    },
    ended: {
      on: { 'work.started': 'working' },
      initial: 'cancelled',
      states: {
        done: { tags: 'done' },
        failed: { tags: 'failed' },
        silent: { tags: 'failed' },
        cancelled: { tags: 'cancelled' },
      },
    },
  },
})
