import { setup } from 'xstate'
import type { BundleState } from '../../contract/updates/secure-boot/bundles'
import { chartQuery } from '../chart-query'

export type BundleEvent = {
  type:
    | 'artifact.added'
    | 'artifact.removed'
    /** A field, key, fuse word or version has changed. */
    | 'bundle.edited'
    | 'check.started'
    /** No finding is an error. */
    | 'check.passed'
    | 'check.failed'
    /** The check did not end in time, or the server restarted. */
    | 'check.expired'
    /** The bytes are deleted before the event is applied. */
    | 'private_key.found'
    /** A device reports that it boots by this bundle. */
    | 'bundle.applied'
    | 'bundle.revoked'
    | 'bundle.archived'
    | 'bundle.restored'
}

/** `editable`: parts and fields may change. `usable`: devices may be provisioned with it, and releases may need it. */
export type BundleTag = 'editable' | 'usable' | 'ended'

/** Any change makes the result of the last check void. */
const changed = { 'artifact.added': 'draft', 'artifact.removed': 'draft', 'bundle.edited': 'draft' } as const

export const secureBootMachine = setup({
  types: { events: {} as BundleEvent, tags: {} as BundleTag },
}).createMachine({
  id: 'secureBoot',
  initial: 'draft',
  states: {
    draft: {
      tags: 'editable',
      on: {
        'artifact.added': {},
        'artifact.removed': {},
        'bundle.edited': {},
        'check.started': 'checking',
        'private_key.found': 'incomplete',
        'bundle.archived': 'archived',
      },
    },
    checking: {
      tags: 'editable',
      on: {
        ...changed,
        'check.passed': 'ready',
        'check.failed': 'incomplete',
        'check.expired': 'draft',
        'private_key.found': 'incomplete',
      },
    },
    incomplete: {
      tags: 'editable',
      on: { ...changed, 'check.started': 'checking', 'private_key.found': {}, 'bundle.archived': 'archived' },
    },
    ready: {
      tags: ['editable', 'usable'],
      on: {
        ...changed,
        'check.started': 'checking',
        'bundle.applied': 'in_use',
        'bundle.revoked': 'revoked',
        'bundle.archived': 'archived',
      },
    },
    // Fuses of devices hold what this bundle says, so it never changes again.
    in_use: { tags: 'usable', on: { 'bundle.applied': {}, 'bundle.revoked': 'revoked' } },
    revoked: { tags: 'ended' },
    archived: { on: { 'bundle.restored': 'draft', 'bundle.revoked': 'revoked' } },
  },
})

export type BundleMove = BundleEvent['type']
/** The possible transitions of a bundle; the server asks before each change. */
export const bundleMoves = chartQuery<BundleState, BundleMove, BundleTag>(secureBootMachine)
