import type { BundleEvent } from '../../../machines/secure-boot/secure-boot.machine'
import { always, type Behaviour } from './behaviour'

const way = (...types: BundleEvent['type'][]): BundleEvent[] => types.map((type) => ({ type }))
const checked = way('artifact.added', 'check.started', 'check.passed')
const applied = [...checked, ...way('bundle.applied')]

export const secureBoot: Behaviour<BundleEvent> = {
  stories: [
    { title: 'parts, a check, ready', moves: checked, ends: 'ready' },
    { title: 'a check with errors', moves: way('artifact.added', 'check.started', 'check.failed'), ends: 'incomplete' },
    {
      title: 'a missing part is added and checked',
      moves: way('check.started', 'check.failed', 'artifact.added', 'check.started', 'check.passed'),
      ends: 'ready',
    },
    {
      title: 'an incomplete bundle is checked again',
      moves: way('check.started', 'check.failed', 'check.started'),
      ends: 'checking',
    },
    {
      title: 'the result of a check of parts that have changed since is dropped',
      moves: way('artifact.added', 'check.started', 'artifact.removed', 'check.passed'),
      ends: 'draft',
    },
    { title: 'an edit during a check', moves: way('check.started', 'bundle.edited', 'check.failed'), ends: 'draft' },
    { title: 'a part added during a check', moves: way('check.started', 'artifact.added', 'check.passed'), ends: 'draft' },
    { title: 'a check that never ends', moves: way('check.started', 'check.expired'), ends: 'draft' },
    { title: 'a ready bundle that is edited', moves: [...checked, ...way('bundle.edited')], ends: 'draft' },
    { title: 'a ready bundle with one part more', moves: [...checked, ...way('artifact.added')], ends: 'draft' },
    { title: 'a ready bundle with one part less', moves: [...checked, ...way('artifact.removed')], ends: 'draft' },
    { title: 'a ready bundle is checked again', moves: [...checked, ...way('check.started')], ends: 'checking' },
    { title: 'an incomplete bundle that is edited', moves: way('check.started', 'check.failed', 'bundle.edited'), ends: 'draft' },
    {
      title: 'an incomplete bundle without the wrong part',
      moves: way('check.started', 'check.failed', 'artifact.removed'),
      ends: 'draft',
    },
    { title: 'a private key in an upload', moves: way('artifact.added', 'private_key.found'), ends: 'incomplete' },
    {
      title: 'a private key that the check finds',
      moves: way('artifact.added', 'check.started', 'private_key.found', 'check.passed'),
      ends: 'incomplete',
    },
    { title: 'a device reports it', moves: applied, ends: 'in_use' },
    { title: 'a report before the bundle is ready changes nothing', moves: way('bundle.applied'), ends: 'draft' },
    {
      title: 'a bundle in use is not edited, archived or checked',
      moves: [...applied, ...way('bundle.edited', 'artifact.removed', 'bundle.archived', 'check.started')],
      ends: 'in_use',
    },
    { title: 'revoked while in use', moves: [...applied, ...way('bundle.revoked')], ends: 'revoked' },
    { title: 'revoked before any device has it', moves: [...checked, ...way('bundle.revoked')], ends: 'revoked' },
    { title: 'a draft is archived', moves: way('bundle.archived'), ends: 'archived' },
    { title: 'an incomplete one is archived', moves: way('check.started', 'check.failed', 'bundle.archived'), ends: 'archived' },
    { title: 'archived, and revoked there', moves: [...checked, ...way('bundle.archived', 'bundle.revoked')], ends: 'revoked' },
    {
      title: 'a restored bundle is a draft and has to be checked again',
      moves: [...checked, ...way('bundle.archived', 'bundle.restored', 'bundle.applied')],
      ends: 'draft',
    },
  ],
  invariants: [
    always(
      'only a check without errors makes it ready',
      ({ before, move, after: s }) => !s.matches('ready') || before.matches('ready') || move?.type === 'check.passed',
    ),
    always(
      'only the report of a device about a ready bundle puts it in use',
      ({ before, move, after: s }) =>
        !s.matches('in_use') || before.matches('in_use') || (before.matches('ready') && move?.type === 'bundle.applied'),
    ),
    always(
      'what a device has applied never changes',
      ({ before, after: s }) => !before.matches('in_use') || s.matches('in_use') || s.matches('revoked'),
    ),
    always('a private key never stays in a usable bundle', ({ move, before, after: s }) =>
      move?.type === 'private_key.found' ? before.hasTag('usable') || !s.hasTag('usable') : true,
    ),
    always('a revoked bundle stays revoked', ({ before, after: s }) => !before.hasTag('ended') || s.hasTag('ended')),
  ],
}
