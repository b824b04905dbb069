import { model } from '../model'
import { releaseMachine } from './release.machine'

export const releaseModel = model(
  {},
  {
    machine: releaseMachine,
    starts: { draft: undefined },
    events: {
      'upload.began': [{ type: 'upload.began' }],
      'upload.ended': [{ type: 'upload.ended' }],
      'upload.cancelled': [{ type: 'upload.cancelled' }],
      'assets.verified': [{ type: 'assets.verified' }],
      'asset.rejected': [{ type: 'asset.rejected' }],
      'asset.removed': [{ type: 'asset.removed' }],
      'release.finalized': [{ type: 'release.finalized' }],
      'release.reopened': [{ type: 'release.reopened' }],
      'signature.verified': [{ type: 'signature.verified' }],
      'rollout.started': [{ type: 'rollout.started' }],
      'release.superseded': [{ type: 'release.superseded' }],
      'release.revoked': [{ type: 'release.revoked' }],
      'release.archived': [{ type: 'release.archived' }],
    },
    answers: {},
  },
)
