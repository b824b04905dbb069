import { model } from '../model'
import { deviceUpdateMachine } from './device-update.machine'

export const deviceUpdateModel = model(
  {},
  {
    machine: deviceUpdateMachine,
    starts: { queued: undefined },
    events: {
      'update.offered': [{ type: 'update.offered' }],
      'update.deferred': [{ type: 'update.deferred' }],
      'update.downloading': [{ type: 'update.downloading' }],
      'update.downloaded': [{ type: 'update.downloaded' }],
      'update.verifying': [{ type: 'update.verifying' }],
      'update.installing': [{ type: 'update.installing' }],
      'update.rebooting': [{ type: 'update.rebooting' }],
      'update.validating': [{ type: 'update.validating' }],
      'update.claimed': [{ type: 'update.claimed' }],
      'update.succeeded': [{ type: 'update.succeeded' }],
      'update.failed': [{ type: 'update.failed' }],
      'update.rolled_back': [{ type: 'update.rolled_back' }],
      'update.timed_out': [{ type: 'update.timed_out' }],
      'update.cancelled': [{ type: 'update.cancelled' }],
      'update.held': [{ type: 'update.held' }],
      'update.freed': [{ type: 'update.freed' }],
      'update.skipped': [{ type: 'update.skipped' }],
      'update.retried': [{ type: 'update.retried' }],
    },
    answers: {},
  },
)
