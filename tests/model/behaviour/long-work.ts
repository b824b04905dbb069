import type { LongWorkEvent } from '../../../machines/long-work/long-work.machine'
import { failed } from '../../../machines/model'
import { done, failing } from '../moves'
import { after, always, type Behaviour, count, did } from './behaviour'

const start: LongWorkEvent = { type: 'work.started' }
const progress: LongWorkEvent = { type: 'work.progressed' }
const cancel: LongWorkEvent = { type: 'work.cancelled' }
const result = done('work', undefined)

export const longWork: Behaviour<LongWorkEvent> = {
  stories: [
    { title: 'nothing is done until it is started', moves: [progress, cancel], ends: 'idle', does: [] },
    { title: 'started, far, done', moves: [start, progress, progress, result], ends: 'ended.done', does: ['work.done'] },
    { title: 'it fails', moves: [start, failing('work', failed(410))], ends: 'ended.failed', does: ['work.failed'] },
    {
      title: 'a minute without progress ends it',
      moves: [start, progress, after('silence')],
      ends: 'ended.silent',
      does: ['work.failed'],
    },
    { title: 'cancelled, and nothing is announced', moves: [start, progress, cancel], ends: 'ended.cancelled', does: [] },
    { title: 'a second start does not begin it twice', moves: [start, start, result], ends: 'ended.done', does: ['work.done'] },
    { title: 'again after it was cancelled', moves: [start, cancel, start], ends: 'working.listening' },
    { title: 'again after a failure', moves: [start, failing('work', failed(0)), start, result], ends: 'ended.done' },
    { title: 'again after it was done', moves: [start, result, start], ends: 'working.listening' },
  ],
  invariants: [
    always('an end is announced exactly when the work ends by itself', (step) => {
      const { before, after: now } = step
      const hasEnded = before.hasTag('busy') && !now.hasTag('busy')
      return (
        did(step, 'work.done') === (hasEnded && now.hasTag('done')) &&
        did(step, 'work.failed') === (hasEnded && now.hasTag('failed'))
      )
    }),
    {
      says: 'each end has its own start',
      holds: (steps) =>
        count(steps, 'work.done') + count(steps, 'work.failed') <=
        steps.filter(({ move }) => move?.type === 'work.started').length,
    },
    always('while it is busy it has a limit', ({ after: now }) => !now.hasTag('busy') || now.matches({ working: 'listening' })),
  ],
}
