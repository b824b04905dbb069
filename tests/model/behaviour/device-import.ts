import type { DeviceImportEvent } from '../../../machines/device-import/device-import.machine'
import { failed } from '../../../machines/model'
import { done, failing } from '../moves'
import { after, always, type Behaviour } from './behaviour'

const changed: DeviceImportEvent = { type: 'source.changed' }
const check: DeviceImportEvent = { type: 'check.asked' }
const begin: DeviceImportEvent = { type: 'import.asked' }
const cancel: DeviceImportEvent = { type: 'request.cancelled' }
const right = done('check', undefined)
const imported = done('import', undefined)

export const deviceImport: Behaviour<DeviceImportEvent> = {
  stories: [
    { title: 'nothing is imported that was not checked', moves: [changed, begin], ends: 'source.fresh' },
    { title: 'checked, then imported', moves: [changed, check, right, begin, imported], ends: 'done' },
    { title: 'another source is checked anew', moves: [check, right, changed, begin], ends: 'source.fresh' },
    { title: 'the check fails', moves: [check, failing('check', failed(413))], ends: 'source.refused' },
    { title: 'the check gets no answer', moves: [check, after('limit')], ends: 'source.refused' },
    { title: 'another source after a failed check', moves: [check, failing('check', failed(0)), changed], ends: 'source.fresh' },
    { title: 'a change during the check ends it', moves: [check, changed], ends: 'source.fresh' },
    { title: 'a cancelled check leaves nothing', moves: [check, cancel], ends: 'source.fresh' },
    { title: 'a cancelled import may have been done', moves: [check, right, begin, cancel], ends: 'checked.cancelled' },
    {
      title: 'an import without an answer may have been done',
      moves: [check, right, begin, failing('import', failed(0))],
      ends: 'checked.unknown',
    },
    {
      title: 'a fault of the server may have come after the import',
      moves: [check, right, begin, failing('import', failed(503))],
      ends: 'checked.unknown',
    },
    {
      title: 'an import that never ends may have been done',
      moves: [check, right, begin, after('limit')],
      ends: 'checked.unknown',
    },
    {
      title: 'a refused import was not done, and can be tried again',
      moves: [check, right, begin, failing('import', failed(409)), begin, imported],
      ends: 'done',
    },
    {
      title: 'what was refused is no result of a later check',
      moves: [check, right, begin, cancel, check, right],
      ends: 'checked.ready',
    },
    {
      title: 'the same source again after the import',
      moves: [check, right, begin, imported, check, right],
      ends: 'checked.ready',
    },
    { title: 'another source after the import', moves: [check, right, begin, imported, changed], ends: 'source.fresh' },
  ],
  invariants: [
    always(
      'an import begins only with what was checked',
      ({ before, after: now }) => !now.hasTag('importing') || before.hasTag('checked'),
    ),
    always(
      'what was checked is given up when the source changes',
      ({ move, before, after: now }) => move?.type !== 'source.changed' || before.hasTag('importing') || !now.hasTag('checked'),
    ),
    always(
      'an import that ends without an answer is not called refused',
      ({ move, before, after: now }) =>
        !before.hasTag('importing') || now.hasTag('importing') || move?.type !== 'request.cancelled' || now.hasTag('unknown'),
    ),
  ],
}
