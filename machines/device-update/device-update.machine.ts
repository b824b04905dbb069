import { setup } from 'xstate'
import { stateOfEvent, type UpdateEventType, type UpdateState } from '../../contract/device/update-events'
import { chartQuery } from '../chart-query'

type Reported = Exclude<UpdateState, 'queued' | 'held' | 'skipped'>

/** `update.downloading`: a report of this state; the other four are the server's own decisions. */
export type DeviceUpdateEvent = {
  type: `update.${Reported}` | 'update.held' | 'update.freed' | 'update.skipped' | 'update.retried'
}

// Reports may be lost, so a later one skips states; an earlier one has no transition and changes nothing.
const skips = { meta: { skips: true } }
const pastValidating = { 'update.claimed': { target: 'claimed', ...skips } } as const
const pastRebooting = { 'update.validating': { target: 'validating', ...skips }, ...pastValidating } as const
const pastInstalling = { 'update.rebooting': { target: 'rebooting', ...skips }, ...pastRebooting } as const
const pastVerifying = { 'update.installing': { target: 'installing', ...skips }, ...pastInstalling } as const
const pastDownloaded = { 'update.verifying': { target: 'verifying', ...skips }, ...pastVerifying } as const
const pastDownloading = { 'update.downloaded': { target: 'downloaded', ...skips }, ...pastDownloaded } as const
const pastOffered = { 'update.downloading': { target: 'downloading', ...skips }, ...pastDownloading } as const

/** `failed`: the gate counts it against the release. `held`, `excluded`: no gate counts it; a held one has not ended. */
export type DeviceUpdateTag = 'waiting' | 'active' | 'succeeded' | 'failed' | 'held' | 'excluded'

export const deviceUpdateMachine = setup({
  types: { events: {} as DeviceUpdateEvent, tags: {} as DeviceUpdateTag },
}).createMachine({
  id: 'deviceUpdate',
  initial: 'open',
  states: {
    open: {
      on: {
        'update.deferred': '.deferred',
        // Disabled, deleted or decommissioned, or its updates are switched off: only a person can end that.
        'update.held': '.held',
        'update.failed': 'failed',
        'update.rolled_back': 'rolled_back',
        'update.timed_out': 'timed_out',
        'update.cancelled': 'cancelled',
        'update.succeeded': { target: 'succeeded', ...skips },
      },
      initial: 'queued',
      states: {
        queued: {
          tags: 'waiting',
          on: {
            'update.skipped': '#deviceUpdate.skipped',
            'update.offered': 'offered',
            ...pastOffered,
          },
        },
        held: {
          tags: 'held',
          on: {
            'update.freed': 'queued',
            'update.skipped': '#deviceUpdate.skipped',
            'update.offered': { target: 'offered', ...skips },
            ...pastOffered,
          },
        },
        deferred: {
          tags: 'waiting',
          on: {
            'update.freed': 'queued',
            'update.skipped': '#deviceUpdate.skipped',
            'update.offered': 'offered',
            ...pastOffered,
          },
        },
        offered: {
          tags: 'active',
          on: {
            'update.downloading': 'downloading',
            ...pastDownloading,
          },
        },
        downloading: {
          tags: 'active',
          on: {
            'update.downloaded': 'downloaded',
            ...pastDownloaded,
          },
        },
        downloaded: {
          tags: 'active',
          on: {
            'update.verifying': 'verifying',
            ...pastVerifying,
          },
        },
        verifying: {
          tags: 'active',
          on: {
            'update.installing': 'installing',
            ...pastInstalling,
          },
        },
        installing: {
          tags: 'active',
          on: { 'update.rebooting': 'rebooting', ...pastRebooting },
        },
        rebooting: { tags: 'active', on: { 'update.validating': 'validating', ...pastValidating } },
        validating: {
          tags: 'active',
          on: { 'update.claimed': 'claimed', 'update.succeeded': '#deviceUpdate.succeeded' },
        },
        // The client says that it has succeeded; only evidence of the device confirms it (contract/ddi/confirm.ts).
        claimed: { tags: 'active', on: { 'update.succeeded': '#deviceUpdate.succeeded' } },
      },
    },
    succeeded: { tags: 'succeeded' },
    // A device that failed may still report a rollback to its previous release.
    failed: { tags: 'failed', on: { 'update.rolled_back': 'rolled_back', 'update.retried': 'open' } },
    rolled_back: { tags: 'failed', on: { 'update.retried': 'open' } },
    // Its device was only silent: it may still show that it runs the release.
    timed_out: { tags: 'failed', on: { 'update.succeeded': 'succeeded', 'update.retried': 'open' } },
    skipped: { tags: 'excluded' },
    cancelled: { tags: 'excluded' },
  },
})

export type DeviceUpdateMove = DeviceUpdateEvent['type']
/** The possible transitions of a device update; the server asks before each change. */
export const deviceUpdateMoves = chartQuery<UpdateState, DeviceUpdateMove, DeviceUpdateTag>(deviceUpdateMachine)

/** The chart's event for a report of the contract; null if it changes nothing. */
export const moveOf = (type: UpdateEventType): DeviceUpdateMove | null => {
  const state = stateOfEvent[type]
  return state === null ? null : `update.${state}`
}
