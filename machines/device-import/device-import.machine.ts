import { setup } from 'xstate'
import { leavesUnknown } from '../../contract/core/errors'
import { port } from '../port'
import { type PortFailure, portFailure } from '../port-failure'

export const ports = {
  /** Reads the whole source without changing anything. */
  check: port<void>('check'),
  /** Imports all devices of the checked source, or none. */
  import: port<void>('import'),
}

export type DeviceImportEvent =
  | { type: 'source.changed' }
  | { type: 'check.asked' }
  | { type: 'import.asked' }
  | { type: 'request.cancelled' }

export type DeviceImportTag =
  | 'checking'
  | 'checkFailed'
  | 'checked'
  | 'importing'
  | 'importFailed'
  | 'cancelled'
  | 'unknown'
  | 'done'

export const deviceImportMachine = setup({
  types: {
    events: {} as DeviceImportEvent,
    tags: {} as DeviceImportTag,
  },
  actors: ports,
  delays: {
    // More than the console's own limit of a request with a long body.
    limit: 900_000,
  },
  guards: {
    isUnanswered: (_, p: { failure: PortFailure }) => leavesUnknown(p.failure),
  },
}).createMachine({
  id: 'deviceImport',
  initial: 'source',
  states: {
    source: {
      on: { 'source.changed': '.fresh', 'check.asked': 'checking' },
      initial: 'fresh',
      states: { fresh: {}, refused: { tags: 'checkFailed' } },
    },
    checking: {
      tags: 'checking',
      invoke: { id: 'check', src: 'check', onDone: 'checked', onError: 'source.refused' },
      on: { 'request.cancelled': 'source', 'source.changed': 'source' },
      after: { limit: 'source.refused' },
    },
    checked: {
      tags: 'checked',
      on: { 'source.changed': 'source', 'check.asked': 'checking', 'import.asked': 'importing' },
      initial: 'ready',
      states: {
        ready: {},
        refused: { tags: 'importFailed' },
        unknown: { tags: ['importFailed', 'unknown'] },
        cancelled: { tags: ['cancelled', 'unknown'] },
      },
    },
    importing: {
      tags: ['checked', 'importing'],
      invoke: {
        id: 'import',
        src: 'import',
        onDone: 'done',
        onError: [
          {
            guard: { type: 'isUnanswered', params: ({ event }) => ({ failure: portFailure(event.error) }) },
            target: 'checked.unknown',
          },
          { target: 'checked.refused' },
        ],
      },
      on: { 'request.cancelled': 'checked.cancelled' },
      after: { limit: 'checked.unknown' },
    },
    done: { tags: 'done', on: { 'source.changed': 'source', 'check.asked': 'checking' } },
  },
})
