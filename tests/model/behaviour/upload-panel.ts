import { failed } from '../../../machines/model'
import type { UploadEntry, UploadPanelEvent } from '../../../machines/upload-panel/upload-panel.machine'
import type { UploadFacts } from '../../../machines/upload-panel/upload/upload.machine'
import { done, failing } from '../moves'
import { after, always, type Behaviour, did } from './behaviour'

const file = (id: string): UploadFacts => ({
  id,
  name: `${id}.bin`,
  size: 100,
  type: '',
  purpose: 'release_asset',
  targetId: 't',
})
const chosen = (...ids: string[]): UploadPanelEvent => ({ type: 'files.chosen', files: ids.map(file) })
const began = (id: string): UploadPanelEvent => ({ type: 'upload.began', id })
const ended = (id: string): UploadPanelEvent => ({ type: 'upload.ended', id, end: 'done' })
const broke = (id: string): UploadPanelEvent => ({ type: 'upload.ended', id, end: 'failed' })
const entry = (id: string, shown: boolean, running: boolean): UploadEntry => ({ file: file(id), shown, running })
const ends = (sight: string, work = 'resting', past = 'unasked') => [`sight.${sight}`, `work.${work}`, `past.${past}`]
const close: UploadPanelEvent = { type: 'panel.closed' }

export const uploadPanel: Behaviour<UploadPanelEvent> = {
  stories: [
    {
      title: 'chosen files are shown',
      moves: [chosen('a', 'b')],
      ends: ends('visible.expanded'),
      holds: { entries: [entry('a', true, false), entry('b', true, false)] },
      asks: file('b'),
    },
    { title: 'no file, no panel', moves: [chosen()], ends: ends('hidden'), holds: { entries: [] } },
    {
      title: 'the same file twice is one',
      moves: [chosen('a', 'a'), chosen('a')],
      ends: ends('visible.expanded'),
      holds: { entries: [entry('a', true, false)] },
    },
    { title: 'collapsed and expanded', moves: [chosen('a'), { type: 'panel.collapsed' }], ends: ends('visible.collapsed') },
    {
      title: 'a new file expands it',
      moves: [chosen('a'), { type: 'panel.collapsed' }, chosen('b')],
      ends: ends('visible.expanded'),
    },
    {
      title: 'something runs until the last has ended',
      moves: [chosen('a', 'b'), began('a'), began('b'), ended('a')],
      ends: ends('visible.expanded', 'running'),
      does: ['upload.ended'],
      holds: { entries: [entry('a', true, false), entry('b', true, true)] },
    },
    {
      title: 'nothing runs any more',
      moves: [chosen('a'), began('a'), ended('a')],
      ends: ends('visible.expanded', 'resting'),
      does: ['upload.ended'],
    },
    {
      title: 'an unknown upload changes nothing',
      moves: [began('z'), ended('z')],
      ends: ends('hidden'),
      does: [],
      holds: { entries: [] },
    },
    {
      title: 'closing clears the rows, running uploads continue hidden',
      moves: [chosen('a', 'b'), began('a'), close],
      ends: ends('closed', 'running'),
      holds: { entries: [entry('a', false, true)] },
    },
    {
      title: 'its progress does not open it again',
      moves: [chosen('a'), began('a'), close, ended('a')],
      ends: ends('closed', 'resting'),
      does: ['upload.ended'],
      holds: { entries: [] },
    },
    {
      title: 'nor does its failure, which is kept',
      moves: [chosen('a'), began('a'), close, broke('a')],
      ends: ends('closed', 'resting'),
      does: ['upload.ended'],
      holds: { entries: [entry('a', false, false)] },
    },
    {
      title: 'a failure without a row is kept when the panel is closed again',
      moves: [chosen('a'), began('a'), close, broke('a'), chosen('b'), close],
      ends: ends('closed', 'resting'),
      holds: { entries: [entry('a', false, false)] },
    },
    {
      title: 'a failure without a row is shown again when it is chosen',
      moves: [chosen('a'), began('a'), close, broke('a'), chosen('a')],
      ends: ends('visible.expanded', 'resting'),
      holds: { entries: [entry('a', true, false)] },
    },
    {
      title: 'a failure with a row is cleared by closing',
      moves: [chosen('a'), began('a'), broke('a'), close],
      ends: ends('closed', 'resting'),
      holds: { entries: [] },
    },
    {
      title: 'nor do unfinished uploads that are found',
      moves: [chosen('a'), close, { type: 'uploads.found', files: [file('c')] }],
      ends: ends('closed'),
      holds: { entries: [] },
    },
    {
      title: 'a new upload does, alone',
      moves: [chosen('a'), began('a'), close, chosen('b')],
      ends: ends('visible.expanded', 'running'),
      holds: { entries: [entry('a', false, true), entry('b', true, false)] },
    },
    {
      title: 'the same file again while it runs hidden is shown again',
      moves: [chosen('a'), began('a'), close, chosen('a')],
      ends: ends('visible.expanded', 'running'),
      holds: { entries: [entry('a', true, true)] },
    },
    {
      title: 'after sign-in the unfinished ones are offered',
      moves: [{ type: 'session.opened' }, done('unfinished', [file('c')])],
      ends: ends('visible.expanded', 'resting', 'asked'),
      holds: { entries: [entry('c', true, false)] },
      asks: file('c'),
    },
    {
      title: 'none unfinished, no panel',
      moves: [{ type: 'session.opened' }, done('unfinished', [])],
      ends: ends('hidden', 'resting', 'asked'),
    },
    {
      title: 'a list that fails is silent',
      moves: [{ type: 'session.opened' }, failing('unfinished', failed(500))],
      ends: ends('hidden', 'resting', 'asked'),
      does: [],
    },
    {
      title: 'a list that does not come is silent',
      moves: [{ type: 'session.opened' }, after('timeout')],
      ends: ends('hidden', 'resting', 'asked'),
    },
    {
      title: 'found while visible: added below',
      moves: [chosen('a'), { type: 'uploads.found', files: [file('c')] }],
      ends: ends('visible.expanded'),
      holds: { entries: [entry('a', true, false), entry('c', true, false)] },
    },
    {
      title: 'signing out stops and clears everything',
      moves: [{ type: 'session.opened' }, chosen('a'), began('a'), { type: 'session.closed' }],
      ends: ends('hidden'),
      holds: { entries: [] },
    },
    {
      title: 'connection restored: running uploads are notified',
      moves: [chosen('a', 'b'), began('b'), { type: 'connection.restored' }],
      ends: ends('visible.expanded', 'running'),
      does: ['connection.restored'],
    },
  ],
  invariants: [
    always(
      'rows are shown exactly while the panel is visible',
      ({ after: s }) => s.hasTag('visible') === (s.context as { entries: UploadEntry[] }).entries.some(({ shown }) => shown),
    ),
    always(
      'busy exactly while something runs',
      ({ after: s }) => s.hasTag('busy') === (s.context as { entries: UploadEntry[] }).entries.some(({ running }) => running),
    ),
    always(
      'progress moves the panel nowhere',
      ({ before, move, after: s }) =>
        !['upload.began', 'upload.ended'].includes(move?.type ?? '') ||
        JSON.stringify(before.value.sight) === JSON.stringify(s.value.sight),
    ),
    always(
      'closed by hand, only a new upload or signing out changes it',
      ({ before, move, after: s }) =>
        !before.hasTag('closed') || s.hasTag('closed') || ['files.chosen', 'session.closed'].includes(move?.type ?? ''),
    ),
    always(
      'every row has one child: made when it is added',
      ({ before, after: s, effects }) =>
        effects.filter(({ type, id }) => type === 'asks' && id !== 'unfinished').length ===
        Math.max(0, added(before.context.entries, s.context.entries)),
    ),
    always(
      'a child is stopped exactly when its entry goes',
      ({ before, after: s, effects }) =>
        effects.filter(({ type, id }) => type === 'stops' && id !== 'unfinished').length ===
        Math.max(0, added(s.context.entries, before.context.entries)),
    ),
    always(
      'an end is told once, and only of a known upload',
      (step) =>
        did(step, 'upload.ended') ===
        (step.move?.type === 'upload.ended' &&
          step.before.context.entries.some(({ file: { id } }: UploadEntry) => id === Reflect.get(step.move ?? {}, 'id'))),
    ),
  ],
}

/** The number of entries that are new. */
function added(before: UploadEntry[], now: UploadEntry[]): number {
  return now.filter(({ file: { id } }) => !before.some((other) => other.file.id === id)).length
}
