import type { FuseStepEvent } from '../../../machines/secure-boot/fuse-step/fuse-step.machine'
import { always, type Behaviour } from './behaviour'

const way = (...types: FuseStepEvent['type'][]): FuseStepEvent[] => types.map((type) => ({ type }))
const confirmed = way('steps.verified', 'step.confirmed')
const written = [...confirmed, ...way('write.ended')]

export const fuseStep: Behaviour<FuseStepEvent> = {
  stories: [
    { title: 'confirmed, written and read back', moves: [...written, ...way('value.matched')], ends: 'verified' },
    { title: 'nothing is confirmed before its turn', moves: way('step.confirmed', 'write.ended'), ends: 'blocked' },
    { title: 'nothing is written without a confirmation', moves: way('steps.verified', 'write.ended'), ends: 'pending' },
    { title: 'declined', moves: [...confirmed, ...way('step.declined')], ends: 'pending' },
    { title: 'the write alone proves nothing', moves: written, ends: 'written' },
    { title: 'a write that had no effect', moves: [...written, ...way('value.incomplete')], ends: 'pending' },
    { title: 'a wrong value after the write', moves: [...written, ...way('value.differed')], ends: 'mismatch' },
    { title: 'stopped before the write', moves: [...confirmed, ...way('value.incomplete')], ends: 'pending' },
    { title: 'stopped after the write', moves: [...confirmed, ...way('value.matched')], ends: 'verified' },
    { title: 'stopped after a wrong write', moves: [...confirmed, ...way('value.differed')], ends: 'mismatch' },
    { title: 'a device that has the value already', moves: way('value.matched'), ends: 'verified' },
    { title: 'a device that has it when its turn comes', moves: way('steps.verified', 'value.matched'), ends: 'verified' },
    {
      title: 'a device that has another value',
      moves: way('value.differed', ...confirmed.map(({ type }) => type)),
      ends: 'mismatch',
    },
    { title: 'another value when its turn comes', moves: way('steps.verified', 'value.differed'), ends: 'mismatch' },
    { title: 'a wrong reading, read again', moves: way('value.differed', 'value.matched'), ends: 'verified' },
    { title: 'a wrong value that could be undone', moves: way('value.differed', 'value.incomplete'), ends: 'blocked' },
    { title: 'a verified value that changed', moves: way('value.matched', 'value.differed'), ends: 'mismatch' },
    { title: 'a verified value that was undone', moves: way('value.matched', 'value.incomplete'), ends: 'blocked' },
  ],
  invariants: [
    always(
      'only the device verifies',
      ({ before, move, after: s }) => !s.matches('verified') || before.matches('verified') || move?.type === 'value.matched',
    ),
    always(
      'what is written was confirmed before',
      ({ before, after: s }) => !s.matches('written') || before.matches('written') || before.matches('confirmed'),
    ),
    always(
      'what is confirmed was pending before',
      ({ before, after: s }) => !s.matches('confirmed') || before.matches('confirmed') || before.matches('pending'),
    ),
    always('nothing is written after a mismatch', ({ before, after: s }) => !before.hasTag('failed') || !s.hasTag('writing')),
  ],
}
