import type { ReleaseEvent } from '../../../machines/release/release.machine'
import { always, type Behaviour } from './behaviour'

const way = (...types: ReleaseEvent['type'][]): ReleaseEvent[] => types.map((type) => ({ type }))
const signed = way('upload.began', 'upload.ended', 'assets.verified', 'release.finalized', 'signature.verified')

export const release: Behaviour<ReleaseEvent> = {
  stories: [
    { title: 'files, manifest, signature', moves: signed, ends: 'ready' },
    {
      title: 'the first rollout releases it',
      moves: [...signed, ...way('rollout.started', 'rollout.started')],
      ends: 'released',
    },
    {
      title: 'a newer one supersedes it',
      moves: [...signed, ...way('rollout.started', 'release.superseded', 'rollout.started')],
      ends: 'superseded',
    },
    {
      title: 'T-16: bytes that differ from the declared hash',
      moves: way('upload.began', 'upload.ended', 'asset.rejected'),
      ends: 'rejected',
    },
    {
      title: 'a rejected file is replaced',
      moves: way('upload.began', 'upload.ended', 'asset.rejected', 'upload.began', 'upload.ended', 'assets.verified'),
      ends: 'draft',
    },
    {
      title: 'T-17: an unsigned release cannot roll out',
      moves: way('release.finalized', 'rollout.started'),
      ends: 'awaiting_signature',
    },
    {
      title: 'an unsigned release becomes a draft again, and is built and signed again',
      moves: [...way('release.finalized', 'release.reopened'), ...signed],
      ends: 'ready',
    },
    {
      title: 'T-17: a signed release never becomes a draft again',
      moves: [...signed, ...way('release.reopened')],
      ends: 'ready',
    },
    { title: 'T-17: nor a revoked one', moves: [...signed, ...way('release.revoked', 'rollout.started')], ends: 'revoked' },
    {
      title: 'archived, and still revocable',
      moves: [...signed, ...way('release.archived', 'release.revoked')],
      ends: 'revoked',
    },
  ],
  invariants: [
    always('signed bytes never change', ({ before, after: s }) => !before.hasTag('signed') || !s.hasTag('editable')),
    always('what is offered was signed before', ({ before, after: s }) => !s.hasTag('offered') || before.hasTag('signed')),
    always(
      'nothing is offered after it was revoked',
      ({ before, after: s }) => !before.matches('revoked') || !s.hasTag('offered'),
    ),
  ],
}
