import { setup } from 'xstate'
import type { Release } from '../../contract/updates/releases'
import { chartQuery } from '../chart-query'

export type ReleaseState = Release['state']

export type ReleaseEvent = {
  type:
    | 'upload.began'
    /** The last open asset has all its bytes. */
    | 'upload.ended'
    | 'upload.cancelled'
    | 'assets.verified'
    | 'asset.rejected'
    | 'asset.removed'
    | 'release.finalized'
    /** Nobody has signed it yet: the manifest is discarded and its fields may change again. */
    | 'release.reopened'
    | 'signature.verified'
    | 'rollout.started'
    /** A newer one reached 95 % of its targets. */
    | 'release.superseded'
    | 'release.revoked'
    | 'release.archived'
}

/** `deployable`: a rollout may begin. `offered`: devices may get it. */
export type ReleaseTag = 'editable' | 'signed' | 'deployable' | 'offered'

export const releaseMachine = setup({
  types: { events: {} as ReleaseEvent, tags: {} as ReleaseTag },
}).createMachine({
  id: 'release',
  initial: 'draft',
  states: {
    draft: { tags: 'editable', on: { 'upload.began': 'uploading', 'release.finalized': 'awaiting_signature' } },
    uploading: {
      tags: 'editable',
      on: { 'upload.began': {}, 'upload.ended': 'verifying', 'upload.cancelled': 'draft', 'asset.removed': 'draft' },
    },
    verifying: {
      tags: 'editable',
      on: { 'upload.began': 'uploading', 'assets.verified': 'draft', 'asset.rejected': 'rejected' },
    },
    rejected: { tags: 'editable', on: { 'upload.began': 'uploading', 'asset.removed': 'draft' } },
    awaiting_signature: {
      on: { 'signature.verified': 'ready', 'release.reopened': 'draft', 'release.archived': 'archived' },
    },
    ready: {
      tags: ['signed', 'deployable'],
      on: {
        'signature.verified': {},
        'rollout.started': 'released',
        'release.revoked': 'revoked',
        'release.archived': 'archived',
      },
    },
    released: {
      tags: ['signed', 'deployable', 'offered'],
      on: {
        'signature.verified': {},
        'rollout.started': {},
        'release.superseded': 'superseded',
        'release.revoked': 'revoked',
        'release.archived': 'archived',
      },
    },
    superseded: {
      tags: ['signed', 'deployable', 'offered'],
      // Going back to an older release is a rollout too, also after the key that signed it was revoked.
      on: { 'signature.verified': {}, 'rollout.started': {}, 'release.revoked': 'revoked', 'release.archived': 'archived' },
    },
    revoked: { tags: 'signed', on: { 'release.archived': 'archived' } },
    archived: { on: { 'release.revoked': 'revoked' } },
  },
})

export type ReleaseMove = ReleaseEvent['type']
/** The possible transitions of a release; the server asks before each change. */
export const releaseMoves = chartQuery<ReleaseState, ReleaseMove, ReleaseTag>(releaseMachine)
